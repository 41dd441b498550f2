import sizes


def test_version():
    assert sizes.__version__


def test_kib():
    assert sizes.kib(3072) == "3 KiB"
