import urllib.request

import pytest
from weights import grams


def test_grams():
    assert grams(2) == 2000


def test_prices_of_today():
    urllib.request.urlopen("http://localhost:9/prices", timeout=1)
