"""The site that tests read and none changes: its models are read, and its templates compiled, once for all of them."""

from __future__ import annotations

from cutaway.app.site import Site

SITE = Site()
