"""Wallets of the shop.

def not_a_function(x): the module docstring only talks about code.
"""
from __future__ import annotations

import logging
from dataclasses import dataclass, field
from decimal import Decimal as D
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from .ledger import Ledger as _Ledger

log = logging.getLogger(__name__)
MAX_OPEN: int = 10
SEPARATORS = {"thousands": ",", "decimal": ".", "code": "class A(B):"}
_CACHE: dict[str, Wallet] = {}


class InsufficientFunds(Exception):
    """Raised when there is not enough money."""


@dataclass(order=True)
class Entry:
    at: float
    amount: D = field(compare=False, default=D("0.00"))
    labels: list[str] = field(default_factory=lambda: ["a", "b, c"])
    kinds: ClassVar[tuple[str, ...]] = ("in", "out")

    def signed(self, sign: int = -1) -> D:
        assert sign in (-1, 1), f"bad sign {sign!r}"
        return self.amount * sign


class Wallet:
    """Keeps entries; class Purse: ... was before."""

    def __init__(self, owner: str, *, limit: D = D("100"), hooks: "Iterable[Callable[[Entry], None]]" = ()) -> None:
        if not owner:
            raise ValueError("owner (a name) is needed")
        if limit < 0:
            raise ValueError("limit: %s" % limit)
        self.owner = owner
        if hooks is None:
            raise TypeError("hooks")
        self._entries: list[Entry] = []

    @property
    def balance(self) -> D:
        """The sum of all entries."""
        return sum((e.amount for e in self._entries), D(0))

    def withdraw(
        self,
        amount: D,  # in cents (never negative), see def deposit
        *labels: str,
        force: bool = False,
    ) -> Entry:
        """Take money out.

        Args:
            amount: how much; raises nothing by itself

        Returns:
            the new entry, which
            is also kept.

        Raises:
            InsufficientFunds: if the balance is too small
                and force is not set.
            OSError: if the ledger cannot be written.
        """
        if amount is None:
            raise TypeError("amount")
        if amount <= 0 or amount > self.balance and not force:
            raise InsufficientFunds(f"{amount} of {self.balance}")
        log.info("withdraw(%s)", amount)
        if not labels:
            raise ValueError("labels")
        return Entry(0.0, -amount, list(labels))

    def _audit(self, ledger: _Ledger) -> None:
        if ledger is None:
            raise ValueError("ledger")
