"""`cutaway`, and `python -m cutaway`: the command line."""

import sys

from cutaway.gallery.command.cli import main

if __name__ == "__main__":
    sys.exit(main())
