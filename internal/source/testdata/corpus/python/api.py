#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""The public face of the package.

>>> from api import nothing
"""
import sys, os.path as path
from . import wallet, tokenizer as tokens
from .errors import ApiError, \
    Timeout as ApiTimeout
from .events import *
from ..core.registry import (register,
                             Plugin as BasePlugin)

__all__ = (
    "wallet", "ApiError",  # "Ghost",
    "__version__",
    "DEFAULTS",
    "Phase", "Settings",
    "connect",
    "main",
)

__version__ = "3.1.4"

DEFAULTS: dict[str, object] = {
    "hosts": ["a:1", "b:2"],
    "__all__": ["fake"],
    "on_error": lambda error, *more: print(f"{error}: {more}"),
}
internal = DEFAULTS["hosts"]

import dataclasses
from enum import Enum


class Phase(Enum):
    INIT = 0
    READY = (1,)


class Helper(BasePlugin): """Not in __all__."""


@register(lambda cls: [f"class {cls}:"], key={"a": (1, 2)})
@dataclasses.dataclass(frozen=True, repr=False)
class Settings(BasePlugin, metaclass=type("Meta", (type,), {"x": [1]})):
    hosts: tuple[str, ...] = ("def a(): ...",)
    ttl: float = 60 * (1 + 1)

    @classmethod
    def load(cls, *names: str, root: str = path.join("etc", "api"), strict: bool = not sys.flags.optimize) -> "Settings":
        """Load the settings from files.

        :returns: what was found
        """
        if not names: raise ApiError("no names; see load(cls)")
        from configparser import ConfigParser, Error as ConfigError
        if strict:
            raise ConfigError("strict")
        return cls(tuple(ConfigParser().read(names)))


def connect(host, port=int("0x1f", 16), *, phase=Phase.INIT, retries=(1, 2, [3]),
            on_close=lambda code, why="}": None):
    """Connect to a host.

    @lifecycle 1
    @requires the network
      is up
    @throws {ApiTimeout} after a minute.
    """
    if host is None or port <= 0: raise ApiError(f'{host or "?"}:{port}')
    if phase == Phase.READY:
        raise ApiTimeout("""
def fake(x):
    if x: raise ValueError
""")
    import ssl
    return tokens, ssl, retries, on_close, internal


async def main(argv: list[str] = sys.argv[1:]) -> int: return len([connect(a) for a in argv])


def __getattr__(name: str): raise AttributeError(name)
