"""A catalogued model, or a config that someone typed -> everything its page, its card and its JSON say about it.

Nothing here is a second opinion: every number is gallery's. What costs time is worked out when it is first asked for.
"""

from __future__ import annotations

import threading
from functools import cached_property
from math import prod
from typing import Any, cast

from cutaway import gallery
from cutaway.app.words import phrases as words
from cutaway.app.words import storage
from cutaway.app.words.kinds import Kind, alike, kinds_of
from cutaway.gallery import catalog
from cutaway.gallery import spec as s
from cutaway.gallery.catalog import missing_facts
from cutaway.gallery.catalog.published import compare
from cutaway.gallery.comparing.mechanisms import mechanisms
from cutaway.gallery.counting.memory import Memory
from cutaway.gallery.counting.stored_bytes import list_stored, stored_mtp_bytes, unknown_weights
from cutaway.gallery.reading.dtypes import names_dtype
from cutaway.gallery.running.proofs import Proof, proof

CONTEXTS = (8 * 1024, 128 * 1024, 1024 * 1024)
CONTEXT_WORDS = {8 * 1024: "8k", 128 * 1024: "128k", 1024 * 1024: "1M"}


LARGE = ("weights", "stored", "outside", "kinds")  # of what a view works out; LARGE and its memory can be made anew
MOST_LARGE = 6  # views that hold such things at once, in a process that shows a catalogue


class Holders:
    """The views that hold large things; when there are too many, the one that asked longest ago is lightened."""

    def __init__(self, most: int = MOST_LARGE) -> None:
        self.most, self.lock = most, threading.Lock()
        self.views: dict[int, SpecView] = {}

    def add(self, view: SpecView) -> None:
        """It works out something large now."""
        with self.lock:
            self.views.pop(id(view), None)
            self.views[id(view)] = view
            old = [self.views.pop(one) for one in list(self.views)[: -self.most]]
        for one in old:
            one.lighten()


HOLDERS = Holders()


class SpecView:
    """Any read model."""

    reconstructed = False  # whether its config was put together, or trimmed by who kept it

    def __init__(self, spec: s.ModelSpec, title: str, config: dict | None = None):
        self.spec, self.title, self.config = spec, title, config
        self._memory: dict[int, Memory] = {}
        self.known: dict[str, Any] = {}  # what functions that are asked `once_for_each` view said

    def lighten(self) -> None:
        """Forget what only its own page asks for: a catalogue's views stay, and a tensor list is large."""
        for name in LARGE:
            vars(self).pop(name, None)
        self._memory.clear()
        if self.spec:
            self.spec.graphs.clear()
            self.spec.listed.clear()

    @cached_property
    def parameters(self):
        HOLDERS.add(self)
        return gallery.parameters(self.spec)

    @property
    def varies(self) -> bool:
        """Whether some tokens visit experts without weights, so that fewer parameters than counted work on them."""
        return self.parameters.at_most

    @property
    def at_work(self) -> tuple[int, str]:
        """(what a token is multiplied with, what a card calls that)."""
        return self.parameters.active, f"active{' at most' if self.varies else ''}"

    @cached_property
    def mechanisms(self) -> tuple[str, ...]:
        """Keys of what it has of gallery.comparing's table."""
        return mechanisms(self.spec)

    @cached_property
    def weights(self) -> tuple:
        HOLDERS.add(self)
        return gallery.weights(self.spec)

    @cached_property
    def stored(self) -> tuple:
        """Every weight with the row of schemes.SCHEMES it is stored by ("" = as it is) and its bytes."""
        return list_stored(self.spec, self.weights)

    @cached_property
    def stored_bytes(self) -> int | None:
        """None where no rule says how the weights are stored."""
        quant = self.spec.quantization
        return None if quant and not quant.counted else sum(one.bytes for one in self.stored)

    @cached_property
    def unknown(self) -> frozenset[str]:
        """Names of weights of which no rule says how they are stored."""
        return unknown_weights(self.spec, self.weights)

    @cached_property
    def stored_mtp_bytes(self) -> int | None:
        """What the files hold of the MTP layers, which `stored_bytes` leaves out."""
        return stored_mtp_bytes(self.spec)

    def memory(self, context: int):
        """What decoding keeps at a context, in 16 bits; worked out once."""
        if (known := self._memory.get(context)) is None:  # another thread may lighten it meanwhile
            HOLDERS.add(self)
            known = self._memory[context] = gallery.memory(self.spec, context)
        return known

    @cached_property
    def per_token_bytes(self) -> float:
        return self.memory(0).per_token_bytes

    @cached_property
    def cache_growth(self) -> tuple[float, str]:
        """(bytes that each token adds, what that is called); of windows alone, until they are full."""
        return self.memory(0).growth

    @cached_property
    def fixed_bytes(self) -> int:
        return self.memory(0).fixed_bytes

    @cached_property
    def proof(self) -> Proof:
        """Whether the drawn wiring was run against the modelling code."""
        return proof(self.spec)

    @cached_property
    def outside(self) -> list:
        """The weights that belong to no layer."""
        return [weight for weight in self.weights if weight.layer is None]

    @cached_property
    def alike(self) -> list[list[int]]:
        """The layers by what they hold, in the order of the first of each."""
        return alike(self.spec)

    @cached_property
    def kinds(self) -> list[Kind]:
        """Distinct layers in the order of the first of each, each with the weights of its first layer."""
        return kinds_of(self.spec, self.alike, self.parameters, self.weights)

    @cached_property
    def line(self) -> str:
        return words.card_line(self.spec)

    @cached_property
    def nature(self) -> str:
        """What kind of model it is, in the words under the title."""
        kinds = {
            key for layer in self.spec.layers for part in words.halves(layer.mixer) for key in words.mixer_facets(part)
        }
        moe = any(isinstance(part, s.MoE) for layer in self.spec.layers for part in words.halves(layer.mlp))
        recurrent = kinds & {"delta", "mamba", "linear"}
        attending = kinds - recurrent - {"conv"}
        first = "hybrid" if attending and attending != kinds else "recurrent" if recurrent else "decoder-only"
        return f"{first}, {'mixture of experts' if moe else 'dense'}"

    @cached_property
    def stored_as(self) -> tuple[str, str]:
        """(format, where) of the weights, for the tiles: ("FP8 E4M3", "weights, 128 × 128 blocks")."""
        what, where = storage.tile(self.spec)
        return what, where if self.spec.quantization or self.dtype_named else f"{where}, assumed"

    @property
    def dtype_named(self) -> bool:
        """Whether the config says what its weights are written in."""
        return not self.config or names_dtype(self.config)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know besides: what is left out, and what the copy at hand lacks."""
        return self.spec.notes

    @cached_property
    def layer_tile(self) -> tuple[str, str]:
        """(figures, words): ("61", "layers"), or for two sorts of mixer ("36 + 12", "delta + attention layers")."""
        sorts: dict[str, int] = {}
        for layer in self.spec.layers:
            word = words.sort_of(layer.mixer)
            sorts[word] = sorts.get(word, 0) + 1
        if len(sorts) != 2:
            return f"{self.spec.num_hidden_layers:,}", "layers"
        (first, many), (second, few) = sorted(sorts.items(), key=lambda pair: -pair[1])
        return f"{many} + {few}", f"{first} + {second} layers"

    @cached_property
    def fixed_words(self) -> str:
        """What the bytes that do not grow are."""
        kinds = set(self.memory(1 << 20).by_kind)
        state, windows = bool(kinds & {"state", "conv"}), any(words.windowed(layer.mixer) for layer in self.spec.layers)
        return "windows and state, fixed" if state and windows else "fixed state" if state else "windows, once full"


class ModelView(SpecView):
    """A row of the catalog; where it cannot be drawn `spec` is None, and `error` or the row's `missing` says why."""

    def __init__(self, row):
        self.row, self.error, self.reconstructed = row, "", row.reconstructed
        config = spec = None
        if row.snapshot:
            config = catalog.load(row.slug)
            try:
                spec = catalog.spec(row.slug)
            except gallery.ConfigError as error:
                self.error = str(error)
        super().__init__(cast(s.ModelSpec, spec), row.title, config)  # who asks for a row that is not drawn looks first

    @property
    def slug(self) -> str:
        return self.row.slug

    @property
    def path(self) -> str:
        return f"/models/{self.row.slug}/"

    @property
    def links(self) -> list[tuple[str, str]]:
        """(words, address) of what to read next: report, config, code."""
        return list(self.row.links.items())

    @cached_property
    def published(self) -> list[tuple[str, str, str, str]]:
        """(figure, published, ours, reason) where ours differs by more than rounding."""
        return [(PUBLISHED_WORDS.get(row.figure, row.figure), *row[1:]) for row in compare(self.row, self.spec)]

    @property
    def published_rows(self) -> list[tuple[str, str]]:
        """All figures that others print, for a model that is not drawn."""
        return [(PUBLISHED_WORDS.get(key, key), value) for key, value in self.row.published.items()]

    @property
    def notes(self) -> tuple[str, ...]:
        found = (*self.spec.notes, *missing_facts.list_missing(self.row, self.spec))
        return (UNREVIEWED, *found) if self.row.unreviewed else found

    @property
    def origin(self) -> str:
        """One sentence on where the config is from."""
        return catalog.provenance(self.slug)


UNREVIEWED = (
    "Machine-drawn, unreviewed: a weekly job drew this model from the Hub's config.json. Nobody has compared the "
    "drawing with the modelling code yet."
)
PUBLISHED_WORDS = {
    "total": "parameters",
    "active": "active per token",
    "kv": "KV cache per token, 16 bits",
    "context": "context, tokens",
    "vocab": "vocabulary",
    "layers": "layers",
}


def size(weight) -> int:
    """How many numbers a tensor holds."""
    return prod(weight.shape)
