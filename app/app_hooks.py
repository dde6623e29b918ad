"""Loaded by `panel serve app/` before the server starts: puts the site's pages at / beside the workbench at /app."""

import os
import sys

# Bokeh's and Panel's files come from this server, never from a CDN.
os.environ.setdefault("BOKEH_RESOURCES", "server")
# Bokeh would look through the models of every session for mistakes of ours, which are the same in each: a tenth of it.
if "--dev" not in sys.argv:
    os.environ.setdefault("BOKEH_VALIDATE_DOC", "false")

from cutaway.app.serve import server

server.install()


def on_server_loaded(server_context):
    """Once the socket is open: work out in the background what the first reader would wait for.

    With CUTAWAY_COLD=1 nothing is worked out before somebody asks for it.
    """
    import threading

    if os.environ.get("CUTAWAY_COLD") == "1":
        return

    # No thread of an executor: Python would wait for those before it lets the process end.
    threading.Thread(target=server.warm, daemon=True, name="warm").start()
