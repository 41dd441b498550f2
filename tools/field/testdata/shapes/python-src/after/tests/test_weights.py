import urllib.request

import pytest
from weights import grams


def test_grams():
    assert grams(2) == 2000


@pytest.mark.parametrize("bad", [-1, -0.5])
def test_negative(bad):
    with pytest.raises(ValueError):
        grams(bad)
    assert grams(0) == 0


def test_prices_of_today():
    urllib.request.urlopen("http://localhost:9/prices", timeout=1)
