"""What the library answers where one number is not enough: differences, relatives, a plan; printed, shown, as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from cutaway.tables import Table

if TYPE_CHECKING:
    import os

    from cutaway.drawing import Drawing
    from cutaway.gallery.command.lineage_words import Kin
    from cutaway.gallery.planning.fits import Plan
    from cutaway.gallery.planning.planner_model import PlannerModel
    from cutaway.gallery.spec import ModelSpec


class Beside:
    """Models that were compared: their picture, and what each keeps."""

    models: tuple[tuple[str, ModelSpec], ...]  # what each is called, and what it is

    def draw(self, dark: bool = False) -> Drawing:
        """Towers, blocks and differences side by side, as one picture."""
        from cutaway.drawing import Drawing
        from cutaway.gallery.drawing.side_by_side import draw_comparison

        return Drawing(draw_comparison(self.models, dark))

    def save(self, path: str | os.PathLike[str], *, dark: bool = False, scale: float = 2.0) -> None:
        """Write that picture: .svg, .png or .pdf by its ending. ValueError and OSError as for `Drawing.save`."""
        self.draw(dark).save(path, scale=scale)

    def cache(self, context: int = 131_072, cache_dtype: str = "bfloat16") -> Table[dict[str, Any]]:
        """A row for each model: bytes kept of one sequence of so many tokens. ValueError for an unknown format."""
        from cutaway.gallery.command.compare_words import cache_bytes

        kept = cache_bytes(self.models, context, cache_dtype)
        rows = [{"model": name, "cache_bytes": many} for (name, _), many in zip(self.models, kept, strict=True)]
        return Table(rows, ("model", "cache_bytes"))


class Differences(Table[Any], Beside):
    """Rows of what differs; `verdict` is the sentence of /compare/, `names` what both models are called."""

    verdict: str  # the sentence, at most 40 words
    names: tuple[str, str]  # what both models are called

    @classmethod
    def between(cls, a: ModelSpec, b: ModelSpec, names: tuple[str, str]) -> Differences:
        """Everything structural in which b differs from a."""
        from cutaway.gallery.command.compare_words import COLUMNS, UNITS
        from cutaway.gallery.comparing.differences import compare_specs, verdict

        found = compare_specs(a, b)
        made = cls(found.rows, COLUMNS, UNITS)
        made.verdict, made.names = verdict(a, b, names, found).text, names
        made.models = ((names[0], a), (names[1], b))
        return made

    def __repr__(self) -> str:
        """The verdict, and the differences part by part."""
        from cutaway.gallery.command.compare_words import difference_lines
        from cutaway.gallery.command.report import printable

        return "\n".join([printable(self.verdict), *(["", *difference_lines(self, self.names)] if self else [])])

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self.verdict)}</b></p>{super()._repr_html_() if self else ''}"


@dataclass(frozen=True, repr=False)
class Comparison(Beside):
    """Three to six models: `pairs` are the first one's Differences from each of the others, in order."""

    models: tuple[tuple[str, ModelSpec], ...]  # what each is called, and what it is
    pairs: tuple[Differences, ...]  # the first beside each of the others

    def __repr__(self) -> str:
        """What `cutaway compare` prints."""
        from cutaway.gallery.command.compare_words import compare_lines
        from cutaway.gallery.command.report import printable

        return "\n".join(compare_lines([(printable(name), spec) for name, spec in self.models]))

    def _repr_svg_(self) -> str:
        return self.draw().svg


@dataclass(frozen=True, slots=True, repr=False)
class Relatives:
    """A model among those of the catalogue: `kin.found` says what is new and whom it is like; tables of the others."""

    title: str  # the model's name
    kin: Kin  # its relatives; kin.found is what the model's page says

    def json(self) -> dict[str, Any]:
        """What `cutaway lineage --json` prints of it."""
        from cutaway.gallery.command.lineage_words import lineage_json

        return lineage_json(self.kin)

    @property
    def nearest(self) -> Table:
        """The nearest earlier models, with what the later of both gained and dropped."""
        return links(self.json()["nearest"])

    @property
    def later(self) -> Table:
        """The nearest later models."""
        return links(self.json()["later"])

    @property
    def descendants(self) -> Table:
        """Models whose nearest earlier model this is."""
        return Table(self.json()["descendants"], ("slug", "title", "date"))

    def __repr__(self) -> str:
        from cutaway.gallery.command.lineage_words import lineage_lines
        from cutaway.gallery.command.report import printable

        return "\n".join(map(printable, [*[self.title] * bool(self.title), *lineage_lines(self.kin)]))

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


def links(rows: list[dict[str, Any]]) -> Table:
    """Relatives as a table."""
    return Table(rows, ("slug", "title", "company", "date", "share", "gained", "dropped"))


@dataclass(frozen=True, slots=True, repr=False)
class Planned:
    """A layout of a model: `plan` has every rank, `fits` and `says` whether and how it fits."""

    title: str  # the model's name
    slug: str | None  # its page on the site; None: it has none
    model: PlannerModel  # what the planner reads of it
    plan: Plan  # the layout with every rank

    @property
    def fits(self) -> bool:
        """Whether every GPU has room."""
        return self.plan.fits

    @property
    def says(self) -> str:
        """Whether it fits, in a sentence."""
        from cutaway.gallery.command.plan_words import verdict

        return verdict(self.plan)

    def json(self, sort: str = "seconds") -> dict[str, Any]:
        """What `cutaway plan --json` prints of it; gallery/command/plan_json.md says what each key is."""
        from cutaway.gallery.command.plan_json import as_json

        return as_json(self.model, self.plan, self.slug, sort)

    def __repr__(self) -> str:
        from cutaway.gallery.command.plan_words import lines

        return "\n".join(lines(self.model, self.plan))

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


def preformatted(text: str) -> str:
    """Lines as they are printed, the first in bold."""
    first, _, rest = text.partition("\n")
    return f"<p><b>{escape(first)}</b></p><pre>{escape(rest)}</pre>"
