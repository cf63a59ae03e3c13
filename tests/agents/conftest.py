"""A repository with an empty project."""

from tests.door.conftest import repo

__all__ = ["repo"]
