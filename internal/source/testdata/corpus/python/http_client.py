from __future__ import annotations

import contextlib
import functools
import urllib.request, urllib.error as errors
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Final

try:
    from ._speedups import parse as _parse
except ImportError:  # pragma: no cover
    from ._pure import parse as _parse

if TYPE_CHECKING:
    import ssl
    from types import TracebackType

    from ._types import (
        Header,  # from nowhere import nothing
        Timeout as TimeoutTypes,
    )

USER_AGENT: Final = "client/2 (def get(self): ...)"
retry_codes = frozenset({429, 503})


class HttpError(Exception):
    def __init__(self, status: int, *args: object, body: bytes = b"{[(") -> None:
        super().__init__(status, *args)
        if status < 400:
            raise ValueError(status)


class Client(contextlib.AbstractContextManager["Client"], ABC):
    """Talks to a server: def example(self): ..."""

    timeout: TimeoutTypes | None = None

    @property
    def base_url(self) -> str:
        return self._base

    @base_url.setter
    def base_url(self, value: str) -> None:
        """Set where the paths start.

        :param value: it raises nothing by itself
        :raises ValueError: if there is no scheme
        """
        if "://" not in value:
            raise ValueError(f"no scheme: {value!r} {{")
        self._base = value if value.endswith("/") else value + "/"

    @property
    @abstractmethod
    def context(self) -> ssl.SSLContext: ...

    @functools.lru_cache(maxsize=2 ** (4 + 1))
    @staticmethod
    def header(name: str = "x-(id", *, parse: Any = lambda v: {"v": v}) -> Header: return parse(_parse(name))

    async def get(self, path: str, /, *more: str, params: Mapping[str, Any] = dict(a=[1], b={"c": (2,)}), **kw: Any) -> bytes:
        """Get a path.

        Precondition: the client is open
        Returns: the body, which is
            never empty.
        Invariant: the client stays open
        """
        url = "/".join((path, *more))
        if not path.startswith("/"):
            raise ValueError("path: %r" % path)
        if len(more) > len(params) and not kw: raise TypeError("params")
        if not url.isascii():
            raise UnicodeError(url)
        async with self.stream(url) as chunks:
            return b"".join([chunk async for chunk in chunks])

    @contextlib.asynccontextmanager
    async def stream(self, url: str, on_error: type[BaseException] = errors.URLError) -> AsyncIterator[AsyncIterator[bytes]]:
        if url:
            request = urllib.request.Request(url, headers={"user-agent": USER_AGENT})
        if not url:
            raise ValueError("url")
        yield NotImplemented

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> bool:
        assert error is None or kind is not None, "def __exit__("
        return False
