"""A notebook shows the drawing and a live widget: JupyterLab and marimo, headless.

They are looked for in this environment, or in that of the Python named by CUTAWAY_NOTEBOOK_PYTHON:
pip install marimo jupyterlab 'cutaway[notebook]'.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.linked import linked

pytestmark = pytest.mark.whole
ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = os.environ.get("CUTAWAY_NOTEBOOK_PYTHON", sys.executable)
SECONDS = 180
DRAW = 'cutaway.draw("Qwen/Qwen3-8B", offline=True)'
WIDGET = 'shown = cutaway.widget("bits", typed="0.1")\nshown'
CELLS = ["import cutaway", DRAW, WIDGET, "shown.typed"]
MARIMO = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import cutaway
    return (cutaway,)


@app.cell
def _(cutaway):
    cutaway.draw("Qwen/Qwen3-8B", offline=True)
    return


@app.cell
def _(cutaway):
    shown = cutaway.widget("bits", typed="0.1")
    shown
    return


if __name__ == "__main__":
    app.run()
"""


def needs(*modules: str) -> None:
    """Skip where one of them is not there, and say which."""
    for module in modules:
        if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode:
            pytest.skip(f"{module} is not installed for {PYTHON}: name another in CUTAWAY_NOTEBOOK_PYTHON")


@contextlib.contextmanager
def running(folder: Path, *command: str, ready: str):
    """A notebook server in a folder, at the address it answers on; it and its kernels end with the test."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port = asked.getsockname()[1]
    env = {**os.environ, "PYTHONPATH": str(linked(ROOT, folder / "lib")), "HOME": str(folder)}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [PYTHON, "-m", *command, "--port", str(port)],
            cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            until = time.monotonic() + SECONDS
            while process.poll() is None and time.monotonic() < until:
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}{ready}", timeout=SECONDS).read()
                    break
                time.sleep(0.2)
            assert process.poll() is None, (folder / "log").read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def tab(browser):
    """A page that may wait: a kernel starts."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, color_scheme="light")
    tab = context.new_page()
    tab.set_default_timeout(SECONDS * 1000)
    yield tab
    context.close()


def shows_the_drawing(tab) -> None:
    """The SVG stands in the page, whole within its column, with its words."""
    drawing = tab.locator('svg[role="img"]:has(title:text-is("Qwen3 8B"))').first
    drawing.wait_for()
    box = drawing.bounding_box()
    assert 500 < box["width"] <= 1400 and abs(box["width"] / box["height"] - 1400 / 884) < 0.05
    assert "Qwen3 8B: 36 layers" in drawing.locator("desc").first.text_content()


def shows_the_widget(tab) -> None:
    """The widget answers: what is typed changes what it says."""
    widget = tab.locator(".cw-bits").first
    widget.wait_for()
    field = widget.locator("input[type=text], input:not([type])").first
    assert field.input_value() == "0.1"
    assert "0.1015625" in widget.inner_text()  # what FP8 E4M3 makes of 0.1
    field.fill("0.3")
    field.press("Enter")
    widget.get_by_text("0.3125", exact=True).first.wait_for()


def test_jupyterlab_shows_a_drawing_and_a_live_widget(tab, tmp_path):
    """Run cell by cell: the picture, the widget, and what was typed into it read back by the kernel."""
    needs("jupyterlab", "anywidget", "ipykernel")
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "execution_count": None, "outputs": [], "source": text}
        for i, text in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    book = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "book.ipynb").write_text(json.dumps(book))
    options = ("--no-browser", "--allow-root", "--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path}")
    with running(tmp_path, "jupyterlab", *options, ready="/api/status") as url:
        tab.goto(f"{url}/lab/tree/book.ipynb")
        tab.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for()  # the kernel is there
        for number in range(3):
            run_cell(tab, number)
        shows_the_drawing(tab)
        shows_the_widget(tab)
        run_cell(tab, 3)
        tab.locator(".jp-OutputArea-output pre", has_text="'0.3'").wait_for()


def run_cell(tab, number: int) -> None:
    """Run one cell of a JupyterLab notebook; a page that is still arranging itself may lose the keys."""
    prompt = tab.locator(".jp-InputPrompt").nth(number)
    for _ in range(SECONDS // 10):
        tab.locator(".jp-Notebook .jp-Cell .cm-content").nth(number).click()
        tab.keyboard.press("Shift+Enter")
        with contextlib.suppress(AssertionError):
            return expect(prompt).to_have_text(re.compile(r"\[\d+\]:"), timeout=10_000)
    raise AssertionError(f"cell {number} does not run")


def test_marimo_shows_a_drawing_and_a_live_widget(tab, tmp_path):
    """`marimo run`: the picture and the widget stand in the page and answer."""
    needs("marimo", "anywidget")
    (tmp_path / "book.py").write_text(MARIMO)
    with running(tmp_path, "marimo", "run", "book.py", "--headless", "--no-token", ready="/health") as url:
        tab.goto(url)
        shows_the_drawing(tab)
        shows_the_widget(tab)
