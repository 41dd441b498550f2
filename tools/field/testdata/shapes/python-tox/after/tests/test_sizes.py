import sizes


def test_version():
    assert sizes.__version__


def test_kib():
    assert sizes.kib(3072) == "3 KiB"


def test_below_a_kib():
    assert sizes.kib(1023) == "1023 B"
    assert sizes.kib(0) == "0 B"
