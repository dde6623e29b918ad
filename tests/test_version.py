"""The version that a stranger reads is one: in pyproject.toml, in CITATION.cff and on top of the CHANGELOG."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_citation_is_of_this_version():
    """CITATION.cff has what CFF 1.2.0 asks for, and pyproject's version, licence and addresses."""
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)
    assert (CITATION["cff-version"], CITATION["type"]) == ("1.2.0", "software")
    assert all(author.get("name") or author.get("family-names") for author in CITATION["authors"])
    assert (CITATION["version"], CITATION["license"]) == (PROJECT["version"], PROJECT["license"])
    assert ("urls" in PROJECT) == ("repository-code" in CITATION)


def test_the_changelog_has_this_version():
    """The newest version that is numbered is pyproject's; each says when, and sorts its changes as Keep a Changelog."""
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d\d-\d\d)$", CHANGELOG, re.M)
    assert versions[0][0] == PROJECT["version"]
    assert len(versions) + ("## [Unreleased]" in CHANGELOG) == len(re.findall(r"^## ", CHANGELOG, re.M))
    assert set(re.findall(r"^### (.*)$", CHANGELOG, re.M)) <= KINDS
