"""A cache with a limit.

__all__ = ["this is text"]
"""
from __future__ import annotations

import collections.abc as cabc
from typing import Awaitable, Callable, Generic, NewType, ParamSpec, Protocol, TypeAlias, TypeVar, Union
from typing import runtime_checkable

KeyT = TypeVar("KeyT", bound="cabc.Hashable", contravariant=False)
ValueT = TypeVar(
    "ValueT",
    covariant=False,  # class ValueT: ...
)
_P = ParamSpec("_P")
CacheKey = NewType("CacheKey", str)
Json = Union[None, bool, int, str, list["Json"], dict[str, "Json"]]
Loader: TypeAlias = "Callable[[str, int], Awaitable[dict[str, Json]]]"


@runtime_checkable
class Store(Protocol[KeyT]):
    def load(self, key: KeyT, /) -> Json: ...
    def save(self, key: KeyT, value: Json = {"a": [None, {"b": 1}]}) -> None: """Requires: key was loaded."""


class CacheFull(LookupError): pass


class LruCache(Generic[KeyT, ValueT]):
    """Forgets what was not used."""

    __slots__ = ("_nodes", "_max", "_stats")
    DEFAULT_MAX = 2 ** (3 + 4)

    class Evicted(Exception):
        """Says what was forgotten."""

    class _Node:
        def link(self, other: LruCache._Node) -> None:
            if other is self: raise ValueError("self")

    def __init__(self, maxsize: int = 2 ** (3 + 4), *, stats: dict[str, list[int]] = {"hits": [0], "misses": [0, 0]}) -> None:
        self._nodes: dict[KeyT, ValueT] = {}
        if maxsize < 1:
            raise ValueError("maxsize")
        self._max, self._stats = maxsize, stats

    def is_full(self) -> bool: return len(self._nodes) >= self._max

    def add(self, key: KeyT, value: ValueT | None = None, *, when: Callable[[KeyT, ValueT], bool] = lambda k, v: True) -> None:
        """Add a new value.

        Raises:
            KeyError: if the key is
                already there
            CacheFull: if nothing can be forgotten.

        Note:
            ValueError: is never raised
        """
        if key in self._nodes:
            raise KeyError(key)
        if value is None and when:
            raise TypeError("value: 'def'")
        if self.is_full():
            # nothing to forget
            raise CacheFull
        def forget(old: KeyT) -> None:
            if old not in self._nodes: raise KeyError(old)
        if key == "}":
            raise ValueError("}")

    def __getitem__(self, key: KeyT) -> ValueT:
        if key not in self._nodes: raise KeyError(key) from None
        return self._nodes[key]


def cached(maxsize: int = 128, *, typed: bool = False) -> Callable[[Callable[_P, ValueT]], Callable[_P, ValueT]]:
    limit: int = LruCache.DEFAULT_MAX; cache: dict[str, ValueT] = {}
    if not 0 < maxsize <= limit:
        raise ValueError(f"maxsize: {maxsize:>{limit}}")
    def decorate(func: Callable[_P, ValueT]) -> Callable[_P, ValueT]:
        if func is None:
            raise TypeError("func")
        return lambda *args, **kw: cache.setdefault(repr((args, kw, typed)), func(*args, **kw))
    return decorate
