"""A function of a script of app/, called in Node with JSON-plain arguments: for what needs no page."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from cutaway.app.making.node import find_node
from tests import bundled

RUN = """
import { readFileSync } from "node:fs";
const { name, calls } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(calls.map((given) => called[name](...given))));
"""


def called(file: str, name: str, calls: list[list[Any]]) -> list[Any]:
    """What a function of a module returns for each list of arguments."""
    text = bundled.of_feature(file, 'import * as found from "./{}";\nglobalThis.called = found;')
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "run.mjs"
        script.write_text(text + RUN, "utf-8")
        node, given = find_node(), json.dumps({"name": name, "calls": calls})
        ran = subprocess.run([node, str(script)], input=given, capture_output=True, text=True)
    assert not ran.returncode, ran.stderr
    return json.loads(ran.stdout)


def ran(source: str, folder: str, given: Any) -> Any:
    """What a module prints as JSON: its imports are looked up from a folder, and it reads `given` as JSON from 0."""
    head = 'import { readFileSync } from "node:fs";\n'
    script = head + bundled.bundled(source.replace(head, ""), folder)
    asked = [find_node(), "--input-type=module", "-e", script]
    done = subprocess.run(asked, input=json.dumps(given), capture_output=True, text=True, cwd=bundled.ROOT)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)
