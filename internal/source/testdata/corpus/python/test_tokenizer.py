"""Tests of the tokenizer; def test_in_docstring(): pass"""
from __future__ import annotations

import unittest
from unittest import mock

import pytest

from . import helpers as h
from .tokenizer import Token, tokenize as _tokenize

CASES = [("{{", "open"), ("def test_case():", "text")]
SOURCE = '''
def test_in_string():
    assert False

class TestInString:
    def test_never(self): ...
'''


@pytest.fixture(name="test_source", params=["a", "b{"])
def source(request):
    return request.param + SOURCE


def check_kind(token: Token, kind: str = "test_(") -> None:
    assert token[0] == kind


# def test_commented_out(): ...
def test_empty() -> None:
    def test_inner():
        pass

    assert list(_tokenize("")) == []
    test_inner()


@pytest.mark.parametrize(
    ("text", "kind"),
    [pytest.param(*case, id=f"test_{case[1]}") for case in CASES],
)
@mock.patch.dict("os.environ", {"test_env": "def test_env(): ..."})
def test_kinds(
    text: str,
    kind: str,
) -> None:
    check_kind(next(_tokenize(text)), kind)


@pytest.mark.asyncio
async def test_async(test_source, tmp_path=None): assert h.run(test_source)


class TestToken:
    class Fake:
        def test_of_fake(self) -> None: ...

    @pytest.mark.skip(reason="def test_reason(self): later")
    def test_negative(self) -> None:
        with pytest.raises(IndexError, match=r"^-1{1}$"):
            Token("eof", -1)

    async def test_eof(self, *, source="}"):
        assert Token.eof(source) == ("eof", 1)

    def _test_private(self): raise AssertionError

    @staticmethod
    def make(kind): return Token(kind)


class Helper:
    def test_not_collected(self):
        raise AssertionError


class TestRules(unittest.TestCase):
    def setUp(self):
        from .tokenizer import _RULES
        self.rules = _RULES

    def test_all(self):
        for name, rule in self.rules.items():
            with self.subTest(name):
                self.assertIsNotNone(rule.search("{{ class TestX: "))
