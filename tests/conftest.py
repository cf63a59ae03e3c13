"""Load the fixtures that every test file may use."""

pytest_plugins = ["tests.built", "tests.client.fixtures"]
