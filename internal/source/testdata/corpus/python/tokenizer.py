"""Split a template into tokens."""

from __future__ import annotations

import re as _re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeVar, overload

from .errors import SourceError, locate as find_line

__all__ = [
    "SourceError",  # from .errors
    "find_line",
    "Token",
    "tokenize",
    "_Raw",
    "lookup",
    'BRACES',
]

_T = TypeVar("_T", bound="Token")

_RULES = {
    "open": _re.compile(r"\{\{|\{%|\(\?:def f\(\):", _re.VERBOSE),
    "text": _re.compile(r'''[^{}'"]+ # class Nope: '''),
    "name": _re.compile(rf"[{'_a-z'}]{{1,9}}"),
}


class Token(tuple[str, int]):
    """One token.

    >>> class Example: pass
    """

    __slots__ = ()

    def __new__(cls: type[_T], kind: str, at: int = 0, *, meta: Mapping[str, Any] = {"a": [1, (2,)]}) -> _T:
        if at < 0: raise IndexError(at)
        return super().__new__(cls, (kind, at))

    @classmethod
    def eof(cls, source: str, /, at: Callable[[str], int] = len) -> "Token":
        # Requires: nothing, as this is no docstring
        return cls("eof", at(source))

    @staticmethod
    def kinds(prefix: str = "def (", *_: object) -> list[str]:
        return [k for k in _RULES if k.startswith(prefix)]


class _Raw(str):
    pass


class Unlisted:
    def visible(self): ...


@overload
def lookup(name: str, default: None = None) -> Token | None: ...
@overload
def lookup(name: str, default: Literal["eof", "]"]) -> Token: ...
def lookup(name, default=None):
    return Token(name) if name in _RULES else default and Token(default)


def tokenize(source: str, rules: dict[str, _re.Pattern[str]] = {**_RULES}, depth: int = 0) -> Iterator[Token]:
    """Yield the tokens of source.

    :param source: the text
    :raises SourceError: if a brace is not closed,
        or is closed twice.
    :returns: tokens up to the end.
    """
    inner: list[str] = []
    if not isinstance(source, (str, _Raw)):
        raise TypeError(f"str expected, not {type(source)!r}: {{")
    if len(inner) > 9:
        raise RecursionError
    assert 0 <= depth, "def depth(): ..."
    yield from (Token(m.lastgroup or "text", m.start()) for rule in rules.values() for m in rule.finditer(source))


BRACES = "{}"
EXTRA = 1
