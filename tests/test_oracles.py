"""Every oracle says where it is from."""

from pathlib import Path

import pytest

ORACLE = Path(__file__).parent / "oracle"
README = (ORACLE / "README.md").read_text()


@pytest.mark.parametrize("path", [path for path in sorted(ORACLE.iterdir()) if not path.name.startswith((".", "_"))])
def test_every_oracle_and_every_generator_is_in_the_readme(path):
    """What made a file, and how to make it anew, stands in tests/oracle/README.md."""
    assert path.name == "README.md" or f"`{path.name}{'/' if path.is_dir() else ''}" in README


BESIDE = "test_snapshot.py"  # reads every whole config, where they are on this machine


def test_one_test_alone_reads_the_folder_beside_the_repository():
    """A fresh clone has nothing beside it: what tests need is in tests/oracle."""
    word = '"sha' + 'red" /'
    found = [path.name for path in ORACLE.parent.rglob("*.py") if word in path.read_text()]
    assert found == [BESIDE]
    text = (ORACLE.parent / "gallery" / BESIDE).read_text()
    assert text.count(word) == 1 and text.count("skipif(not FILES") == 1


def test_the_readme_names_tests_that_exist():
    """Each row says which test reads its file."""
    rows = [line.split("|") for line in README.splitlines() if line.startswith("| `")]
    named = [word.strip("` ,") for row in rows for word in row[4].split(", ")]
    assert [name for name in named if not (list(ORACLE.parent.glob(name)) or (ORACLE / name).exists())] == []
