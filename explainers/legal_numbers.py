"""Whether a value of a state is a number in a range: what `check` asks of what a link or a program sets."""

from __future__ import annotations

import math
import sys
from typing import Any


def is_between(value: Any, low: float, high: float) -> bool:
    """Whether a value is a finite number from low to high; True and False are none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return low <= value <= high and abs(value) <= sys.float_info.max  # 10**400 is an int that no float holds


def is_integer(value: Any, low: float = -math.inf, high: float = math.inf) -> bool:
    """Whether a value is a whole number from low to high; a float that is whole counts, as in JavaScript."""
    return is_between(value, low, high) and float(value).is_integer()
