"""The fonts in static/fonts -> gallery/drawing/widths.json: how wide each character is, so that text fits its box.

Run `python build/measure_fonts.py` after the fonts change. Needs fontTools; the gallery itself does not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ROOT = Path(__file__).resolve().parent.parent
CHARACTERS = "".join(map(chr, range(32, 127))) + "·×–—…√αβγδλμσφΔΣ→←↑²⊕⊗≈≤−∑'"
WEIGHTS = (400, 600, 700)
ABOUT = "Advance widths of Inter, by weight, and JetBrains Mono, thousandths of the font size (build/measure_fonts.py)."


def advances(weight: int) -> list[int]:
    """Advance of every character of Inter at one weight, in thousandths of the font size."""
    font = TTFont(ROOT / "static/fonts/Inter.woff2")
    font = instantiateVariableFont(font, {"opsz": 14, "wght": weight})
    names, metrics, em = font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm
    return [round(metrics[names[ord(c)]][0] * 1000 / em) if ord(c) in names else 700 for c in CHARACTERS]


def main() -> int:
    """Write the table; exit code 0."""
    rows = ",\n".join(f'  "{weight}": {advances(weight)}' for weight in WEIGHTS)
    mono = TTFont(ROOT / "static/fonts/JetBrainsMono.woff2")
    step = round(mono["hmtx"][mono.getBestCmap()[ord("0")]][0] * 1000 / mono["head"].unitsPerEm)
    characters = json.dumps(CHARACTERS, ensure_ascii=False)
    text = f'{{\n "about": "{ABOUT}",\n "characters": {characters},\n "sans": {{\n{rows}\n }},\n "mono": {step}\n}}\n'
    (ROOT / "gallery/drawing/widths.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
