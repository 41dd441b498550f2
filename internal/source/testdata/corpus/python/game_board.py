"""보드 게임: class 가짜: 는 글일 뿐이다."""
import enum
from enum import Enum, IntFlag
from typing import NamedTuple, TypedDict

기본크기 = (3, 3)
MAX_SIDE: int = 19  # 한 변의 길이


class GameStatus(str, Enum):
    """게임의 상태."""

    대기 = "waiting"
    진행 = "running"
    종료 = "over"

    def __str__(self) -> str:
        진행 = f"{self.value!s:>{len(self.name)}} {{}}"
        return 진행


class Side(IntFlag):
    NONE = 0
    BLACK = enum.auto()
    WHITE = enum.auto()
    BOTH = BLACK | WHITE


class Estate(Enum):
    집 = "house"
    땅 = "land = 3"


class Move(NamedTuple):
    칸: tuple[int, int]
    편: Side = Side.BLACK

    def 뒤집기(self, *, 깊이: int = -1) -> "Move":
        return self._replace(편=Side.BOTH ^ self.편)


class Score(TypedDict, total=False):
    black: int
    white: float


class 판:
    def __init__(self, 크기: tuple[int, int] = (3, 3), 규칙: dict[str, list[str]] = {"끝": ["}", "가득"]}) -> None:
        assert len(크기) == 2, "크기"
        assert 0 < 크기[0] <= MAX_SIDE
        self.상태 = GameStatus.대기
        self.칸: dict[tuple[int, int], Side] = {}

    def 시작(self, 선수: str) -> None:
        """게임을 시작한다.

        Precondition: 선수는 두 명이다.
        Raises: RuntimeError 이미 시작한 때
        """
        if self.상태 != GameStatus.대기:
            raise RuntimeError("이미 시작")
        if 선수 not in ("흑", "백"):
            raise ValueError(f"선수: {선수}")
        self.상태 = GameStatus.진행

    def 놓기(self, 수: Move, /) -> Score:
        칸, 편 = 수
        if 칸 in self.칸:
            raise KeyError(칸)
        self.칸[칸] = 편
        return {"black": len(self.칸)}

    def 끝내기(self, 이유: str = "def 이유(): pass") -> None:
        if self.상태 == GameStatus.대기:
            raise RuntimeError(이유)
        elif self.상태 == GameStatus.종료:
            return
        self.상태 = GameStatus.종료

    def _지우기(self) -> None:
        if not self.칸:
            raise ValueError("없음")


def 합계(값들: list[int], /, *나머지: int, 처음: int = 0) -> int:
    return sum(값들, 처음) + sum(나머지)
