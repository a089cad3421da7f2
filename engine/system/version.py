"""The version of the package."""


def version() -> str:
    """The installed version; a folder of sources that is not installed has none."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("teresa-chess")
    except PackageNotFoundError:
        return "(not installed)"
