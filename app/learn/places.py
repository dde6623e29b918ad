"""What the search finds of the explainers: each one, each of its steps, and what bits and blocks show by an address."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutaway import explainers
from cutaway.app.site.places import Place
from cutaway.explainers.beats import Beat
from cutaway.gallery.formats.codes import largest
from cutaway.gallery.formats.scalar import FORMATS
from cutaway.gallery.formats.schemes import SCHEMES


def of_explainers() -> Iterator[Place]:
    """Each explainer under its terms, then its steps."""
    for name in explainers.names():
        one = explainers.load(name)
        path = f"/learn/{name}/"
        yield Place(
            path,
            one.title,
            "Explainer",
            f"{one.question} {one.summary}",
            (*one.terms, *explainers.terms_elsewhere(name)),
        )
        for beat in one.beats:
            yield Place(f"{path}#beat-{beat.n}", beat.title, "Explainer", words(beat), (), one.title)


def words(beat: Beat) -> str:
    """What a step says, without its marks and numbers that are filled in."""
    return " ".join([beat.name, *re.sub(r"\{[^}]*\}|[*\[\]`_$]", " ", beat.text).split()])


def of_formats() -> Iterator[Place]:
    """Every number format that *bits* shows, and every block scheme that *blocks* shows."""
    for name in explainers.data("bits")["formats"]:
        row = FORMATS[name]
        about = f"{row.bits} bits, largest {float(largest(row)):.6g}"
        layout = f"{row.sign_bits} sign, {row.exponent_bits} exponent and {row.mantissa_bits} mantissa bits, max value"
        yield Place(f"/learn/bits/?format={name}", row.label, "Format", f"{layout}. {row.words}", (name,), about)
    for row in explainers.data("blocks")["schemes"]:
        scheme = SCHEMES[row["name"]]
        bits = f"{float(scheme.bits_per_weight):.4g} bits per weight"
        said = f"scale {scheme.scale}, element {scheme.element}, quantization block scheme. {scheme.note}"
        yield Place(f"/learn/blocks/?scheme={scheme.name}", scheme.label, "Format", said, (scheme.name,), bits)
