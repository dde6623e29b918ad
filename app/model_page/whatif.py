"""A catalogued model -> /data/whatif/<slug>.json: the sheet that its page edits by (gallery/editing/sheet.py).

Beside the sheet: `title`, and `bits` of a stored number where every weight has as many (0 where some are quantized).
"""

from __future__ import annotations

import json

from cutaway.app.model.view import ModelView
from cutaway.gallery.editing.sheet import sheet
from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.schema_version import VERSION


def told(view: ModelView) -> dict:
    """All that app/model_page/what-if.js asks for."""
    bits = 0 if view.spec.quantization else stored_bits(view.spec.dtype)
    return {"slug": view.slug, "title": view.title, "bits": bits, **sheet(view.spec)}


def as_text(view: ModelView) -> str:
    return json.dumps({"schema": VERSION} | told(view), ensure_ascii=False, separators=(",", ":"))
