"""The checkout -> what the browser's Python gets: which modules, templates and data, before build/pack.mjs compiles.

Found by reading imports, as far as they lead from answer.py: a module that is added needs no line here.
"""

from __future__ import annotations

import ast
import base64
import importlib.util
import json
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import jinja2
import markupsafe

from cutaway import gallery
from cutaway.app.render import job
from cutaway.app.your_model import answer
from cutaway.explainers import bundles
from cutaway.gallery import catalog
from cutaway.gallery.catalog import machine_drawn

ROOT = Path(__file__).resolve().parent.parent.parent
START = ("cutaway.app.your_model.answer", "cutaway.app.design.answer")  # what the worker calls
RUN = "cutaway.app.your_model.small_run"  # fetched when a reader runs a small copy
NUMPY = "from cutaway.app.your_model.plain_numpy import *\n"
# Packages whose files are found by a look into the folder, and the two of other people's that templates need.
FOLDERS = ("gallery/mixers", "gallery/mlps", "gallery/residuals", "gallery/reading/families")
OTHERS = {"jinja2": Path(str(jinja2.__file__)), "markupsafe": Path(str(markupsafe.__file__))}
# Imported in functions that nobody calls there: modules, and packages with all that is in them.
NEVER = ("jinja2.ext", "jinja2.sandbox", "jinja2.nativetypes", "jinja2.debug", "cutaway.gallery.command",
         "cutaway.gallery.listing", "cutaway.answers", "cutaway.drawing", "cutaway.tables")  # fmt: skip
MACHINE_DRAWN = "gallery/catalog/machine_drawn.json"
DATA = (
    MACHINE_DRAWN,
    "app/site/before-paint.js",
    "gallery/designing/built.json",
    "gallery/planning/declared.json",
    "gallery/planning/measured.csv",
    "gallery/running/proofs.json",
    "gallery/drawing/widths.json",
    "static/css/figure.css",
)
TOLD = "pack.json"  # what the folder holds, and of which sources it was made
WARM = ("Qwen/Qwen3-Next-80B-A3B-Instruct",)  # drawn before the image of memory is taken
PAGES = ("render/result.html", "render/more.html", "model/parts.html", "model_page/novelty.html",
         "design/editor.html", "design/key.html", "design/after.html")  # fmt: skip


def path_of(module: str) -> Path | None:
    """The source of a module of ours, or of one that templates need; None for any other."""
    top, _, rest = module.partition(".")
    if top in OTHERS:
        base = OTHERS[top].parent
    elif top == "cutaway":
        head, _, rest = rest.partition(".")
        base = ROOT / (head or "cutaway")
    else:
        return None
    path = base.joinpath(*filter(None, rest.split(".")))
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next((one for one in found if one.is_file()), None)


def imported(module: str, path: Path) -> Iterator[str]:
    """The dotted names that a module imports, and the packages it stands in."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    yield module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


@cache
def modules() -> dict[str, Path]:
    """{dotted name: source} of all that the answers may import."""
    left = [*START, *(f"cutaway.gallery.{name}" for name in gallery._WHERE.values() if not name.startswith("running"))]
    return reached([*left, *(name for folder in FOLDERS for name in inside(folder))])


@cache
def run_modules() -> dict[str, Path]:
    """{dotted name: source} of what small_run.py needs beside those."""
    found = reached([RUN, "cutaway.app.your_model.plain_numpy", *inside("gallery/running/numbers")])
    return {name: path for name, path in found.items() if name not in modules()}


def inside(folder: str) -> list[str]:
    """The modules of a folder, whose package finds them by a look into it."""
    names = [path.stem for path in (ROOT / folder).glob("*.py") if path.stem != "__init__"]
    return [f"cutaway.{folder.replace('/', '.')}.{name}" for name in names]


def reached(left: list[str]) -> dict[str, Path]:
    """All modules that these lead to, themselves among them."""
    found: dict[str, Path] = {}
    while left:
        module = left.pop()
        path = path_of(module)
        if path and module not in found and not f"{module}.".startswith(tuple(f"{one}." for one in NEVER)):
            found[module] = path
            left += imported(module, path)
    return dict(sorted(found.items()))


def texts(found: dict[str, Path]) -> dict[str, str]:
    """{path in the pack: source} of modules."""
    ends = {module: "/__init__.py" if path.name == "__init__.py" else ".py" for module, path in found.items()}
    return {module.replace(".", "/") + ends[module]: path.read_text("utf-8") for module, path in found.items()}


def sources() -> dict[str, str]:
    """{path in the pack: source} of every module that draws."""
    return texts(modules()) | templates()


def run_sources() -> dict[str, str]:
    """The same of what runs a small copy, with the module that stands for numpy there."""
    return texts(run_modules()) | {"numpy/__init__.py": NUMPY}


def templates() -> dict[str, str]:
    """The templates as the modules that Jinja makes of them, so that no browser has to parse one."""
    env, made = job.site().env, {}
    for name in PAGES:
        text = (ROOT / "app" / name).read_text("utf-8")
        module = jinja2.ModuleLoader.get_module_filename(name)
        made[f"cutaway/app/your_model/{answer.TEMPLATES}/{module}"] = env.compile(
            text, name, name, raw=True, defer_init=True
        )
    return made


def data() -> dict[str, bytes]:
    """{path in the pack: content} of what modules read."""
    found = {name: (ROOT / name).read_bytes() for name in DATA}
    found |= {MACHINE_DRAWN: machine_drawn.as_text(row for row in machine_drawn.read_rows() if has_page(row["slug"]))}
    return {f"cutaway/{name}": content for name, content in found.items()}


def has_page(slug: str) -> bool:
    """Whether a model is among those that a config is compared with: no packed one is known there."""
    return any(row.slug == slug for row in catalog.MODELS)


def once() -> dict[str, bytes]:
    """The same of what is read before the image is taken, and then no more."""
    return {f"cutaway/app/your_model/{answer.CATALOGUE}": answer.catalogue()}


# ---------------------------------------------------------------- made when, and of what


def made_from() -> dict[str, str]:
    """{source: SHA-256} of everything that the pack follows from, with versions of what is not ours."""
    every = [*modules().values(), *run_modules().values()]
    files = [path for path in every if path.is_relative_to(ROOT)]
    files += [*(ROOT / name for name in DATA), *(ROOT / "app" / name for name in PAGES)]
    files += [*(ROOT / "gallery" / "catalog").rglob("*.json"), *(ROOT / "gallery" / "comparing").rglob("*.py")]
    files += [ROOT / "package-lock.json", *(ROOT / "build").glob("pack*"), Path(__file__).resolve()]
    digests = {path.relative_to(ROOT).as_posix(): bundles.digest(path) for path in sorted(set(files))}
    return digests | fixed()


def fixed() -> dict[str, str]:
    """What no file's digest tells: versions, and which files the folders hold that are looked into."""
    listed = {folder: " ".join(sorted(path.name for path in (ROOT / folder).glob("*.py"))) for folder in FOLDERS}
    return listed | {name: version(name) for name in OTHERS}


def is_current(folder: Path) -> bool:
    """Whether the pack in a folder was made from what is there now."""
    told = folder / TOLD
    if not told.is_file():
        return False
    sources = json.loads(told.read_text("utf-8"))["sources"]
    known = fixed()
    return all(
        known[name] == was if name in known else (ROOT / name).is_file() and bundles.digest(ROOT / name) == was
        for name, was in sources.items()
    )


def request(outdir: Path) -> dict[str, object]:
    """What build/pack.mjs is given."""
    pyodide = str(ROOT / "node_modules" / "pyodide") + "/"
    warm = [json.dumps(catalog.load(slug)) for slug in WARM]
    files = {"sources": sources(), "later": run_sources(), "data": base64_of(data()), "once": base64_of(once())}
    return {"pyodide": pyodide, "outdir": str(outdir), "warm": warm, **files}


def base64_of(files: dict[str, bytes]) -> dict[str, str]:
    return {name: base64.b64encode(content).decode() for name, content in files.items()}
