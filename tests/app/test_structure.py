"""The shape of the code: imports go one way, the core is plain, colours are named once."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
ORDER = ("gallery", "explainers", "app", "cutaway", "build")
# room of gallery/: what it alone may import
MAY_STAY = {
    "hub": {"huggingface_hub"},
    "running": {"numpy"},
    "mesh": {"numpy"},
    "command": {"argcomplete", "brotli", "fontTools", "termcolor", "typst"},
}
COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})\b|\b(?:rgba?|hsla?|oklch)\(")


@cache
def statements(path: Path) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """(statement, at module level) of every import of a file, which is parsed once for all tests."""
    tree = ast.parse(path.read_text("utf-8"))
    top = set(tree.body)
    return [(node, node in top) for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]


def imports(path: Path) -> list[tuple[str, bool]]:
    """(room of cutaway, or else top package, at module level) of every absolute import."""
    return [(room_of(name), top) for node, top in statements(path) for name in imported(node)]


def imported(node: ast.AST) -> list[str]:
    """The dotted names of an import; `from cutaway import gallery` names cutaway.gallery."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        whole = node.module == "cutaway"
        return [f"cutaway.{alias.name}" for alias in node.names] if whole else [node.module or ""]
    return []


def room_of(name: str) -> str:
    """cutaway.gallery.spec -> gallery, cutaway.drawing -> cutaway, numpy.linalg -> numpy."""
    top, _, rest = name.partition(".")
    room = rest.partition(".")[0]
    return room if top == "cutaway" and room in ORDER else top


@pytest.mark.whole
@pytest.mark.parametrize("package", ORDER)
def test_imports_go_one_way(package):
    """gallery <- explainers <- app <- cutaway <- build: nobody imports from a later one."""
    later = set(ORDER[ORDER.index(package) + 1 :]) | {"tests"} | ({"build"} if package == "build" else set())
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / package).rglob("*.py")
        for name, _ in imports(path)
        if name in later
    ]
    assert wrong == []
    assert list((ROOT / package).rglob("*.py")), package


@pytest.mark.whole
def test_a_room_has_one_name():
    """Nothing imports gallery, explainers or app but as cutaway.<room>: a class has one name, whoever asks."""
    rooms = set(ORDER) - {"cutaway"}
    files = [path for folder in (*ORDER, "tests") for path in (ROOT / folder).rglob("*.py")]
    names = ((path, name.split(".")[0]) for path in files for node, _ in statements(path) for name in imported(node))
    assert [f"{path.relative_to(ROOT)} imports {name}" for path, name in names if name in rooms] == []


@pytest.mark.parametrize("room", ["gallery", "explainers", "app"])
def test_a_room_refuses_another_name(room):
    """Where the checkout's root is on sys.path, `import gallery` fails and says what to import."""
    done = subprocess.run([sys.executable, "-c", f"import {room}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and f"Import cutaway.{room}" in done.stderr


def rooms(package: str) -> dict[str, set[str]]:
    """Of a package: what each room, or file beside them, imports of the others, wherever the import stands."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / package).rglob("*.py"):
        room = path.relative_to(ROOT / package).with_suffix("").parts[0]
        for node, _ in statements(path):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"cutaway.{package}."):
                parts = node.module.split(".")[2:3] or [alias.name for alias in node.names]
                found.setdefault(room, set()).update(part for part in parts if part != room)
    return found


def behind(near: dict[str, set[str]], room: str) -> set[str]:
    """All that a room, or a file, imports, over any way."""
    found: set[str] = set()
    ahead = [room]
    while ahead:
        new = near.get(ahead.pop(), set()) - found
        found |= new
        ahead += new
    return found


def circles(near: dict[str, set[str]]) -> list[set[str]]:
    """Rooms, or files, that import each other, over any way."""
    reached = {one: behind(near, one) for one in near}
    found = {frozenset(other for other in ways if one in reached.get(other, ())) for one, ways in reached.items()}
    return [set(circle) for circle in found if circle]


def test_rooms_of_the_core_stand_in_no_circle():
    """No room imports, over any way, one that imports it."""
    near = rooms("gallery")
    assert len(near) > 20 and "counting" in near["planning"]
    assert circles(near) == []


def core_files() -> dict[str, set[str]]:
    """Of gallery/: what each file imports of the others, wherever the import stands, for types alone or not."""
    paths = {path: path.relative_to(ROOT).with_suffix("").parts for path in (ROOT / "gallery").rglob("*.py")}
    names = {path: ".".join(("cutaway", *parts)).removesuffix(".__init__") for path, parts in paths.items()}
    files = set(names.values())
    near: dict[str, set[str]] = {}
    for path, name in names.items():
        nodes = [node for node, _ in statements(path) if isinstance(node, ast.ImportFrom)]
        wanted = ((f"{node.module}.{alias.name}", node.module) for node in nodes for alias in node.names)
        near[name] = {full if full in files else str(module) for full, module in wanted} & files - {name}
    return near


def test_files_of_the_core_stand_in_no_circle():
    """No file of the core imports, over any way, one that imports it."""
    near = core_files()
    figure = "cutaway.gallery.drawing.figure"
    assert len(near) > 300 and figure in behind(near, "cutaway.gallery.drawing.svg")
    assert circles(near) == []


def test_features_of_the_app_stand_in_no_circle():
    """No folder of app/ imports, over any way, one that imports it."""
    near = rooms("app")
    assert len(near) > 15 and "model" in near["weigh"] and "workbench" in near["main"]
    assert circles(near) == []
    assert circles({**near, "words": {"workbench"}}) != []


def test_templates_import_as_their_folders_do():
    """A template asks for those of its own folder, or of one that its folder may import without a circle."""
    near = rooms("app")
    asked = {
        (path.parent.name, other)
        for path in (ROOT / "app").rglob("*.html")
        for other in re.findall(r"""\{% (?:extends|import|include) "(\w+)/""", path.read_text("utf-8"))
    }
    for room, other in asked:
        near.setdefault(room, set()).update({other} - {room})
    assert len(asked) > 15 and circles(near) == []


def test_the_core_needs_the_standard_library_alone():
    """gallery runs in a server, in a build and later in the reader's browser."""
    plain = set(sys.stdlib_module_names) | {"gallery"}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / "gallery").rglob("*.py")
        for name, top in imports(path)
        if name not in plain
        and not (any(name in MAY_STAY.get(room, ()) for room in path.parts) and (not top or name == "numpy"))
    ]
    assert wrong == []


def test_build_is_scripts():
    """build/ is never imported, so it has no __init__.py; git keeps it although its name is a usual ignore."""
    assert not (ROOT / "build" / "__init__.py").exists()
    assert not re.search(r"^/?build/?$", (ROOT / ".gitignore").read_text(), re.M)


def styles() -> list[Path]:
    return [*(ROOT / "static").rglob("*.css"), *(ROOT / "explainers").rglob("*.css")]


def test_colours_are_named_in_one_file():
    """tokens.css names every colour; other styles, scripts and drawings use its names."""
    code = [*styles(), *(ROOT / "static").rglob("*.js"), *(ROOT / "explainers").rglob("*.js")]
    code += [*(ROOT / "gallery").rglob("*.py"), *(ROOT / "app").rglob("*.py"), *(ROOT / "app").rglob("*.html")]
    wrong = []
    for path in code:
        if path.name == "tokens.css":
            continue
        text = re.sub(r"url\([^)]*\)|&#\d+;|href=\"#[^\"]*\"", "", path.read_text("utf-8"))
        wrong += [f"{path.relative_to(ROOT)}: {found}" for found in COLOUR.findall(text)]
    assert wrong == []


def test_every_token_that_is_used_exists():
    """A misspelt var(--name) would silently be no colour at all."""
    known = set(re.findall(r"(--[\w-]+):", "".join(path.read_text("utf-8") for path in styles())))
    known |= set(
        re.findall(r"[\"'`](--[\w-]+)", "".join(path.read_text("utf-8") for path in ROOT.rglob("explainers/**/*.js")))
    )
    used = {(name, path.name) for path in styles() for name in re.findall(r"var\((--[\w-]+)", path.read_text("utf-8"))}
    assert sorted(one for one in used if one[0] not in known) == []


def test_what_is_installed_is_named():
    """Folders become packages inside cutaway, which tests/site/test_wheel.py tries; tests/ is not among them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    folders = {"cutaway": "cutaway"} | {f"cutaway.{room}": room for room in (*ORDER[:3], "static", "build")}
    assert project["tool"]["setuptools"]["package-dir"] == folders
    assert project["project"]["scripts"] == {"cutaway": "cutaway.__main__:main"}
    assert {"test", "notebook"} <= set(project["project"]["optional-dependencies"])
