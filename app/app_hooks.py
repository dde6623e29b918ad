"""Loaded by `panel serve app/` before the server starts: puts the site's pages at / beside the workbench at /app."""

import os
import sys
from pathlib import Path

# The command may run from anywhere, and from an environment where Cutaway is not installed.
ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path and not (ROOT / "__init__.py").exists():  # a checkout; in a wheel ROOT is the package
    sys.path.insert(0, str(ROOT))
# Bokeh's and Panel's files come from this server, never from a CDN.
os.environ.setdefault("BOKEH_RESOURCES", "server")
# Bokeh would look through the models of every session for mistakes of ours, which are the same in each: a tenth of it.
if "--dev" not in sys.argv:
    os.environ.setdefault("BOKEH_VALIDATE_DOC", "false")

from app import serve  # noqa: E402

serve.install()


def on_server_loaded(server_context):
    """Once the socket is open: work out in the background what the first reader would wait for.

    With CUTAWAY_COLD=1 nothing is worked out before somebody asks for it.
    """
    import threading

    if os.environ.get("CUTAWAY_COLD") == "1":
        return

    # No thread of an executor: Python would wait for those before it lets the process end.
    threading.Thread(target=serve.warm, daemon=True, name="warm").start()
