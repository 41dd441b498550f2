"""A queue of tasks. `async def fake(): ...` is only text."""
import asyncio
import heapq, itertools as it
from enum import Enum, IntEnum, auto
from typing import Any, AsyncIterator, Awaitable, Callable


class TaskState(Enum):
    """Where a task stands."""

    IDLE = auto()
    RUNNING = "running"  # CANCELLED = 3
    DONE = ("done", {"code": 2})
    FAILED = 4

    @property
    def final(self) -> bool:
        return self in (TaskState.DONE, TaskState.FAILED)


class Priority(IntEnum):
    LOW = 1
    HIGH = LOW + 9


class QueueClosed(RuntimeError): ...


class Task:
    state: TaskState = TaskState.IDLE

    def __init__(self, run: Callable[..., Awaitable[None]] = lambda ctx, *, n=(1, 2): asyncio.sleep(n[0]), /) -> None:
        self.run, self.result = run, None

    async def start(self, **context: Any) -> None:
        """Run the task.

        @lifecycle 2
        """
        if self.state != TaskState.IDLE:
            raise RuntimeError("not idle")
        self.state = TaskState.RUNNING
        await self.run(context)

    def finish(self) -> None:
        match self.state:
            case TaskState.RUNNING:
                self.state = TaskState.DONE
            case TaskState.DONE | TaskState.FAILED:
                pass
            case _:
                raise RuntimeError("never started")

    def fail(self, error: Exception) -> None:
        if self.state == TaskState.DONE: raise RuntimeError("done") from error
        self.state = TaskState.FAILED


class TaskQueue:
    def __init__(self, size=[].__len__() or 8, *, key=max):
        self._heap, self._count, self._open = [], it.count(), False

    async def close(self):
        """@lifecycle 4"""
        if not self._open:
            raise QueueClosed
        else:
            self._open = False

    async def open(self):
        """Open the queue: no task may be lost.

        @lifecycle 1
        Ensures: the queue takes tasks.
        """
        self._open = True

    async def drain(self, limit: int | None = None) -> AsyncIterator[Task]:
        '''Give out tasks, "best" first.

        @lifecycle 3
        '''
        if limit is not None and limit < 0:
            raise ValueError(f"limit {limit} {'}'}")
        if not self._open: raise QueueClosed
        while self._heap:
            yield heapq.heappop(self._heap)[-1]

    def __len__(self) -> int:
        return len(self._heap)
