"""A notebook -> the same one with what its cells give now, as it is kept in the repository.

python -m tests.site.notebooks      executes app/docs/tutorial.ipynb and keeps its outputs
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from unittest import mock

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent.parent
TUTORIAL = ROOT / "app" / "docs" / "tutorial.ipynb"
SECONDS = 300
LIVE = "application/vnd.jupyter.widget-view+json"  # names a model of one session
KEPT = ("image/svg+xml", "text/plain")


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook after all cells ran in an empty folder and without the Hub, in the form that is kept."""
    found = nbformat.read(path, as_version=4)
    here = str(Path(sys.executable).parent)
    more = {
        "PATH": here + os.pathsep + os.environ.get("PATH", ""),
        "HF_HUB_OFFLINE": "1",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    with mock.patch.dict(os.environ, more):
        NotebookClient(found, timeout=SECONDS, resources={"metadata": {"path": str(folder)}}).execute()
    found.metadata = {"kernelspec": found.metadata.kernelspec, "language_info": {"name": "python"}}
    for cell in found.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [plain(one) for one in joined(cell.outputs)]
    return found


def joined(outputs: list) -> list:
    """What a process printed in several pieces as one."""
    made: list = []
    for one in outputs:
        if made and one.output_type == made[-1].output_type == "stream" and one.name == made[-1].name:
            made[-1].text += one.text
        else:
            made.append(one)
    return made


def plain(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """An output in the forms that are kept: a picture, text; a live widget without its address."""
    if output.output_type == "stream":
        output.text = output.text.replace("\r\n", "\n")
        return output
    if LIVE in output.get("data", {}):
        output.data = {"text/plain": re.sub(r" at 0x[0-9a-f]+", "", output.data["text/plain"])}
    elif "data" in output:
        output.data = {kind: output.data[kind] for kind in KEPT if kind in output.data}
    return output


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        nbformat.write(executed(TUTORIAL, Path(folder)), TUTORIAL)
