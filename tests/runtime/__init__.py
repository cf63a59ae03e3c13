"""Tests of the bundled runtime, most of them on the real `bin/ultra` of an assembled bundle."""
