"""A worker for tests: draws as worker.py does, but a config may ask it to be slow, greedy, mute or to die.

`"test": ["sleep", 60]` in the config, or in the text of one; pid and hold (the interpreter's lock is kept) as well.
"""

from __future__ import annotations

import json
import os
import re
import time

from cutaway.app.render import worker
from cutaway.app.render.job import Refusal, Request, answer


def asked(request: Request) -> list:
    text = request.config if isinstance(request.config, str) else json.dumps(request.config)
    found = re.search(r'"test": (\[.*?\])', text)
    return json.loads(found[1]) if found else [""]


def strange(request: Request):
    """What the config asks for first, then what worker.py would say."""
    what, *value = asked(request)
    if what == "sleep":
        time.sleep(value[0])
    if what == "hold":
        re.match(r"(a+)+$", "a" * 40 + "b")  # for hours, and no other thread runs
    if what == "die":
        os._exit(1)
    if what == "print":
        print("x" * 100_000, flush=True)
    return Refusal(str(os.getpid())) if what == "pid" else answer(request)


if __name__ == "__main__":
    worker.main(strange)
