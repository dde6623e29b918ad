"""Drafts, loops, shared keys and values, several streams -> their numbers: the machine of norms, with beats of its own.

A stack is one thing: what this page has no control for (norms, gates, caps) is as the model that it is set up like
has it, or plain.
"""

from __future__ import annotations

from cutaway.explainers.norms import reference as machine

STATE, ROUNDED = machine.STATE, machine.ROUNDED
check, settle, compute, data, cases = machine.check, machine.settle, machine.compute, machine.data, machine.cases
