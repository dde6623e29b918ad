"""A mesh of devices that really split, send and add up arrays, and a log of every message.

Of the gallery only this room and `running/` need numpy.
"""

from __future__ import annotations

from cutaway.gallery.mesh.grid import Mesh
from cutaway.gallery.mesh.network import Call, Move, Network, carry_out
from cutaway.gallery.mesh.schedules import ALGORITHMS, OPERATIONS, schedule
from cutaway.gallery.mesh.steps import Schedule, Send, Step

__all__ = [
    "ALGORITHMS",
    "OPERATIONS",
    "Call",
    "Mesh",
    "Move",
    "Network",
    "Schedule",
    "Send",
    "Step",
    "carry_out",
    "schedule",
]
