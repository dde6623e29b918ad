"""One model of the catalogue, as a row: its names, date, licence and links, what others published, a note of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutaway.gallery.catalog import snapshot as snapshots


@dataclass(frozen=True, slots=True)
class CatalogModel:
    """One row. Figures stand as others print them, to be held against ours by `published.contradictions`."""

    slug: str  # "<owner>/<name>": the address of its page
    title: str
    company: str
    date: str | None  # of the release, ISO
    repo: str | None = "="  # on the Hub; "=" is the slug, None: there is none
    licence: str | None = None
    report: str | None = None
    code: str | None = None  # the folder of its modelling code in transformers
    note: str = ""
    variant_of: str | None = None  # slug of the model that this one is a packing or a training of
    config_of: str | None = None  # slug of the model whose config stands for this one
    recalled: bool = False  # what looked_up does not say of date and licence was written down from memory
    looked_up: str | None = None  # the address where its date, its licence or whose config it shares was looked up
    licence_from: str | None = None  # the address where its licence was looked up, where that is another
    unreviewed: bool = False  # machine-drawn: build/new_models.py wrote the row, and nobody has read it yet
    lacks: str = ""  # what a drawing would need that no public source was found for, as a sentence
    decoder: str | None = None  # "Dense" | "Sparse MoE" | ...
    mix: str | None = None  # the layers in words
    total: str | None = None
    active: str | None = None
    kv: str | None = None  # KV cache per token, BF16
    context: str | None = None
    vocab: str | None = None
    layers: int | None = None

    @property
    def snapshot(self) -> str | None:
        """Path of the facts this model is drawn from; None where they are missing."""
        slug = self.config_of or self.slug
        return snapshots.text_path(slug) if snapshots.exists(slug) else None

    @property
    def source(self) -> dict:
        """Where the snapshot is from: repo, revision, read, kind, how; empty where there is none."""
        if self.snapshot is None:
            return {}
        return snapshots.read_head(self.config_of or self.slug)

    @property
    def revision(self) -> str | None:
        """The commit on the Hub that the snapshot was read at; None: not known."""
        return self.source.get("revision")

    @property
    def reconstructed(self) -> bool:
        return self.source.get("kind") == "reconstructed"

    @property
    def missing(self) -> str | None:
        """What keeps this model from being drawn, as a sentence."""
        if self.snapshot is not None:
            return None
        return f"No config.json was found for {self.slug}. {self.lacks}".rstrip()

    @property
    def links(self) -> dict[str, str]:
        """Name -> address: the Hub's page, its config.json, the report, the modelling code, what was looked up."""
        at = self.revision or "main"
        hub = f"https://huggingface.co/{self.repo}" if self.repo else None
        code = "https://github.com/huggingface/transformers/tree/main/src/transformers/models/"
        found = {
            "Hub": hub,
            "config": f"{hub}/blob/{at}/config.json" if hub else None,
            "report": self.report,
            "code": code + self.code if self.code else None,
            "looked up": self.looked_up,
            "licence": self.licence_from if self.licence_from not in (hub, self.looked_up) else None,
        }
        return {name: address for name, address in found.items() if address}

    @property
    def published(self) -> dict[str, str]:
        """Figure -> as others print it."""
        names = ("total", "active", "kv", "context", "vocab", "layers")
        return {name: str(value) for name in names if (value := getattr(self, name)) is not None}


def M(*args: Any, **more: Any) -> CatalogModel:
    """A row; its repo is its slug unless it says otherwise."""
    row = CatalogModel(*args, **more)
    if row.repo == "=":
        object.__setattr__(row, "repo", row.slug)
    return row
