"""Full font files from npm -> the small woff2 subsets in static/fonts/, each with its licence. Run by hand, rarely.

    npm install --prefix DIR inter-ui@4.1.1 @fontsource-variable/jetbrains-mono@5 jetbrains-mono@1.0.6 \\
        @fontsource/stix-two-math@5
    python build/fonts.py DIR/node_modules

Needs fonttools and brotli (in the `test` extra). Deterministic: the same packages give the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

OUT = Path(__file__).resolve().parent.parent / "static" / "fonts"

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x180), *(ord(c) for c in "ŠšŽžșț")]
GREEK = [ord(c) for c in "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"]
MARKS = [ord(c) for c in "‐‑–—‘’“”„…•·†‡′″‹›€™−×÷±≈≠≤≥∞√∑∏∂∈∉⊂∩∪⊕⊗⊙∘∥⟨⟩⌈⌉⌊⌋½⅓⅔¼¾⅛⅜⅝⅞ℓ℮№"]
SCRIPTS = [ord(c) for c in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ᵀᵏᵛʳⁱ"]
SHAPES = [ord(c) for c in "←↑→↓↔↕⇒⇔↗↘↩↻■□▢▪▸▶▾▼◀◂▲△●○◐◑★☆✓✗⏎⌘⇧⚠"]
SPACES = [0x2002, 0x2003, 0x2007, 0x2008, 0x2009, 0x200A, 0x202F]
TEXT = [*LATIN, *GREEK, *MARKS, *SCRIPTS, *SHAPES, *SPACES]
# MathML shows a one-letter <mi> with the mathematical italic letter, so those are what a formula needs.
MATH = [
    *range(0x20, 0x7F),
    *GREEK,
    *MARKS,
    *SHAPES[:6],
    *range(0x1D400, 0x1D468),  # bold and italic Latin
    0x210E,  # the italic h that the block above leaves out
    *range(0x1D6A8, 0x1D71C),  # bold and italic Greek
    *(ord(c) for c in "ℝℕℤ𝟙𝟘⊤⊥∇∀∃¬∧∨⋅⋯⋮⋱∼≃≡≪≫⟵⟶←→↦‖|ˆ¯˜˙"),
]
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum", "zero", "case", "sups", "subs", "ss03"]


def cut(source: Path, name: str, characters, features, limits=None) -> str:
    """One subset: the characters, the features, and for a variable font the part of its axes we use."""
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options()
    options.flavor, options.layout_features, options.notdef_outline = "woff2", features, True
    options.name_IDs, options.hinting, options.desubroutinize = [0, 1, 2, 3, 4, 6, 13, 14], False, True
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    if limits:
        font = instancer.instantiateVariableFont(font, limits)
    font.flavor = "woff2"
    font.save(OUT / name)
    return f"{name}: {len(font.getBestCmap())} characters, {(OUT / name).stat().st_size:,} bytes"


def main(folder: str) -> None:
    modules = Path(folder)
    OUT.mkdir(parents=True, exist_ok=True)
    inter = modules / "inter-ui/variable/InterVariable.woff2"
    mono = modules / "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2"
    symbols = modules / "jetbrains-mono/fonts/webfonts/JetBrainsMono-Regular.woff2"
    stix = modules / "@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2"
    print(cut(inter, "Inter.woff2", TEXT, FEATURES, {"wght": (400, 700)}))
    # No calt: a ligature that turns -> into an arrow would show something that is not in the text.
    print(cut(mono, "JetBrainsMono.woff2", TEXT, FEATURES, {"wght": (400, 700)}))
    # The variable files on npm leave out Greek, arrows and superscripts; they come from the regular weight.
    have = set(TTFont(mono).getBestCmap())
    print(cut(symbols, "JetBrainsMono-Symbols.woff2", [c for c in TEXT if c not in have], FEATURES))
    print(cut(stix, "STIXTwoMath.woff2", MATH, ["*"]))
    licences = {
        "Inter": modules / "inter-ui/LICENSE.txt",
        "JetBrainsMono": modules / "@fontsource-variable/jetbrains-mono/LICENSE",
        "STIXTwoMath": modules / "@fontsource/stix-two-math/LICENSE",
    }
    for name, path in licences.items():
        (OUT / f"{name}-OFL.txt").write_text(path.read_text())


if __name__ == "__main__":
    main(sys.argv[1])
