"""Every oracle says where it is from."""

from pathlib import Path

import pytest

ORACLE = Path(__file__).parent / "oracle"
README = (ORACLE / "README.md").read_text()


@pytest.mark.parametrize("path", [path for path in sorted(ORACLE.iterdir()) if not path.name.startswith((".", "_"))])
def test_every_oracle_and_every_generator_is_in_the_readme(path):
    """What made a file, and how to make it anew, stands in tests/oracle/README.md."""
    assert path.name == "README.md" or f"`{path.name}{'/' if path.is_dir() else ''}" in README


def test_the_readme_names_tests_that_exist():
    """Each row says which test reads its file."""
    rows = [line.split("|") for line in README.splitlines() if line.startswith("| `")]
    named = [word.strip("` ,") for row in rows for word in row[4].split(", ")]
    assert [name for name in named if not (list(ORACLE.parent.glob(name)) or (ORACLE / name).exists())] == []
