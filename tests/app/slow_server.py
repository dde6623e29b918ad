"""`panel serve`, with workers for tests behind it: python -m tests.app.slow_server serve app/ ..."""

import sys

from panel.command import main

from cutaway.app.render import workers

SLOW = workers.Pool((sys.executable, "-m", "tests.app.strange_worker"), size=2)
workers.pool = lambda: SLOW

main()
