from sizes._version import __version__


def kib(count):
    """
    >>> kib(2048)
    '2 KiB'
    """
    return f"{count // 1024} KiB"
