"""Python inside Pyodide: sources -> the bytecode that readers' browsers run. build/pack.mjs calls `compiled_all`.

Two parts come of it: the modules of Pyodide's own library that ours need, which Python imports from one archive, and
ours.
"""

import ast
import importlib.util
import io
import marshal
import sys
import zipfile
from types import CodeType

LIBRARY = "/lib/python314.zip"
WHOLE = ("_pyodide", "pyodide")  # their docstrings are read when they start
# What these modules are imported for, inside functions, never happens here: servers, debuggers, other processes.
NEVER = frozenset("""
    _aix_support _android_support _apple_support _ios_support _osx_support _pydatetime _pyio _pyrepl antigravity
    argparse bdb cmd code ctypes curses difflib distutils doctest email ensurepip ftplib getpass gettext html http
    imaplib mailbox multiprocessing netrc optparse pdb pip plistlib poplib profile pstats pydoc readline rlcompleter
    smtplib socketserver sqlite3 statistics sysconfig tarfile test tkinter tracemalloc unittest uuid venv webbrowser
    xml xmlrpc zipapp asyncio.proactor_events asyncio.windows_events asyncio.windows_utils
    concurrent.futures.process concurrent.futures.interpreter concurrent.interpreters importlib.metadata
    importlib.resources urllib.request urllib.error urllib.response
""".split())  # fmt: skip  # noqa: SIM905
HEADER = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)  # PEP 552: by hash, never checked


def compiled(source: bytes, name: str, optimize: int) -> bytes:
    """The .pyc of a source; nothing of it says when or where it was made."""
    tree = ast.parse(source)
    if optimize == 0 and not name.startswith(WHOLE):
        without_docstrings(tree)
    return HEADER + marshal.dumps(without_lines(compile(tree, name, "exec", dont_inherit=True, optimize=optimize)))


def without_lines(code: CodeType) -> CodeType:
    """Code without line numbers, a third of its size: a traceback names functions alone.

    Its table says "no location" for each code unit, eight an entry (CPython's InternalDocs/code_objects.md).
    """
    whole, rest = divmod(len(code.co_code) // 2, 8)
    table = bytes([0xFF] * whole + ([0xF8 | rest - 1] if rest else []))
    inner = tuple(without_lines(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_linetable=table, co_consts=inner)


def without_docstrings(tree: ast.AST) -> None:
    """Take out docstrings, and nothing else: assertions stay, as they are in a server."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
                node.body[:1] = [] if node.body[1:] else [ast.copy_location(ast.Pass(), first)]


def imported(source: bytes, package: str) -> set[str]:
    """The dotted names that a module may import, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            base = ".".join(filter(None, (base, node.module)))
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found


class Library:
    """Pyodide's own library: its sources by module."""

    def __init__(self) -> None:
        self.archive = zipfile.ZipFile(LIBRARY)
        names = [name for name in self.archive.namelist() if name.endswith(".py")]
        self.files = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name for name in names}

    def source(self, module: str) -> bytes:
        return self.archive.read(self.files[module])

    def needed(self, wanted: set[str]) -> list[str]:
        """All modules that these may import, with the packages they stand in."""
        found, left = set(), list(wanted)
        while left:
            module = left.pop()
            never = module not in wanted and NEVER & {module, module.split(".")[0]}
            if module in found or module not in self.files or never:
                continue
            found.add(module)
            package = module if self.files[module].endswith("/__init__.py") else module.rpartition(".")[0]
            left += [*imported(self.source(module), package), module.rpartition(".")[0]]
        return sorted(found)

    def compiled(self, wanted: set[str]) -> dict[str, bytes]:
        """{path: .pyc} of what these need."""
        names = [self.files[module] for module in self.needed(wanted)]
        return {
            f"{name}c": compiled(self.archive.read(name), name, 0 if name.startswith(WHOLE) else 2) for name in names
        }


def zipped(files: dict[str, bytes]) -> bytes:
    """The archive that Python starts from."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, code in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), code)
    return made.getvalue()


def compiled_all(sources: dict[str, str]) -> tuple[dict[str, bytes], dict[str, bytes], bytes]:
    """({path: .pyc} of the library's modules, the same of ours, the library's as an archive) of {path: source text}."""
    asked, ours = {"encodings.ascii", "encodings.latin_1", "encodings.idna", "encodings.unicode_escape"}, {}
    for name, text in sorted(sources.items()):
        package = name.rpartition("/")[0].replace("/", ".")
        asked |= imported(text.encode(), package)
        ours[f"{name}c"] = compiled(text.encode(), name, 0)
    started = {name for name in sys.modules if not name.startswith("zipfile")}
    library = Library().compiled(asked | started)
    return library, ours, zipped(library)
