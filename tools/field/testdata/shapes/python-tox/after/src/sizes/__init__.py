from sizes._version import __version__


def kib(count):
    """
    >>> kib(2048)
    '2 KiB'
    """
    if count < 1024:
        return f"{count} B"
    return f"{count // 1024} KiB"
