"""No JavaScript module imports itself by way of others: explainers/, app/ and build/."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A statement at the start of a line; import("...") runs later, and an @import tag of a comment is no import.
IMPORT = re.compile(r'^(?:import|export)\b(?:[^;"\']*?\bfrom)?\s*"(\.[^"]+)"', re.M)


def imports(path: Path) -> list[Path]:
    """The modules that a module imports or exports from, in order."""
    return [(path.parent / name).resolve() for name in IMPORT.findall(path.read_text("utf-8"))]


def circle(graph: dict[Path, list[Path]]) -> list[Path]:
    """The first circle that is met, from one of its modules back to the same; [] where there is none."""
    done: set[Path] = set()

    def walk(path: Path, way: list[Path]) -> list[Path]:
        if path in way:
            return [*way[way.index(path) :], path]
        if path in done:
            return []
        done.add(path)
        return next((found for one in graph.get(path, ()) if (found := walk(one, [*way, path]))), [])

    return next((found for path in graph if (found := walk(path, []))), [])


def test_no_module_imports_itself_by_way_of_others():
    folders = (ROOT / "explainers", ROOT / "app", ROOT / "build")
    paths = sorted(path for folder in folders for path in folder.rglob("*.*js"))
    graph = {path: imports(path) for path in paths}
    missing = sorted({str(one) for all_ in graph.values() for one in all_ if not one.is_file()})
    assert not missing, f"imported, but not there: {missing}"
    found = [str(path.relative_to(ROOT)) for path in circle(graph)]
    assert not found, f"modules in a circle: {' -> '.join(found)}. Move what both need into a module of its own."
    assert sum(map(len, graph.values())) > len(paths) > 200, "imports are not read any more"


def test_a_circle_is_found_and_named(tmp_path):
    """Of four modules three stand in a circle; neither a comment nor import("...") closes one."""
    texts = {
        "start": 'import { a } from "./a.js";\n',
        "a": 'import {\n  b,\n} from "./b.js";\n',
        "b": 'export * from "./c.js";\n',
        "c": 'import "./a.js";\n',
        "late": '/** @import { A } from "./late.js" */\nconst one = () => import("./late.js");\n',
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.js").write_text(text, "utf-8")
    graph = {path: imports(path) for path in sorted(tmp_path.iterdir())}
    assert [path.stem for path in circle(graph)] == ["a", "b", "c", "a"]
    graph[tmp_path / "c.js"] = []
    assert circle(graph) == []
