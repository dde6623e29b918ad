"""Random designs as /design/ would write them, built by transformers: its parameters against ours.

    python tests/oracle/designs.py draw FILE [--cases 232] [--seed 1]   writes configs and our totals
    python tests/oracle/designs.py build FILE                           needs torch 2.13.0, transformers 5.23.0 alone
    python tests/oracle/designs.py keep FILE                            writes designs.json, designing/built.json

`make designs` runs all three. A case is a catalogued model and edits from the form's own legal values; it is built on
the meta device and each tensor counted once. `draw --bases` takes models as published, two of each model type: what
transformers cannot build, or counts otherwise, stands apart in designs.json with the reason and is not drawn again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
KEPT = HERE / "designs.json"
BUILT = HERE.parents[1] / "gallery" / "designing" / "built.json"
FEW, MOST = 1, 6  # fields that are edited
TRIES = 60


# ---------------------------------------------------------------- draw: cases


def digest(text: str) -> str:
    """Of a config as the page writes it."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def models() -> dict[str, list[str]]:
    """model_type -> the catalogued models of it."""
    from cutaway.gallery import catalog

    found: dict[str, list[str]] = {}
    for row in catalog.drawable_rows():
        if not row.config_of:
            found.setdefault(type_of(row.slug), []).append(row.slug)
    return found


def near(rng: random.Random, told, one, values) -> int:
    """A legal value of a field, of its own order of magnitude."""
    if one.row.flag:
        return 1 - one.value
    for rule in told.rules:
        if rule.b == one.id and rule.kind == "multiple":
            return rng.choice([n for n in range(one.least, values[rule.a] + 1) if values[rule.a] % n == 0])
    step = next(
        (values[r.b] if isinstance(r.b, str) else r.b for r in told.rules if r.a == one.id and r.kind == "multiple"), 1
    )
    step = step if step % one.step == 0 else step * one.step
    value = one.value * 2 ** rng.uniform(-1.5, 1.5)
    return min(max(round(value / step) * step, step, one.least), one.most // step * step)


def edits(rng: random.Random, told) -> str:
    """A few edits at random, and sometimes other layers, as an address has them."""
    from cutaway.gallery.designing import strip

    values, found = dict(told.values), []
    chosen = rng.sample(told.fields, min(rng.randint(FEW, MOST), len(told.fields)))
    for one in (one for one in told.fields if one in chosen):
        values[one.id] = near(rng, told, one, values)
        found.append(f"{one.id}:{values[one.id]}")
    if told.strip.words and rng.random() < 0.5:
        letters = sorted(told.strip.words)
        pattern = [rng.choice(letters) for _ in range(rng.randint(2, 7))]
        ready = [one.text for one in strip.presets(told.strip)]
        found.append(f"mix:{rng.choice(ready) if ready and rng.random() < 0.5 else ''.join(pattern)}")
    return ",".join(found)


def case(rng: random.Random, slug: str) -> dict:
    """One design that the form has no objection to, and its total by our count."""
    from cutaway import gallery
    from cutaway.gallery import catalog
    from cutaway.gallery.designing.design import design
    from cutaway.gallery.designing.form import form

    config = catalog.load(slug)
    told = form(config, gallery.read(config))
    for _ in range(TRIES):
        made = design(config, edits(rng, told))
        if made.edits and not made.problems:
            break
    total = gallery.parameters(made.spec).total
    return {"slug": slug, "edits": made.address, "config": made.json, "total": total}


def draw(file: Path, cases: int, seed: int, only: str = "") -> None:
    """As many cases, model types by turns."""
    apart = kept().get("apart", {})
    known = {kind: rows for kind, rows in models().items() if kind not in apart}
    kinds = sorted(kind for kind in known if only in ("", kind))
    rows = []
    for number in range(cases):
        rng = random.Random(f"{seed} {number}")  # a case stays what it is when another changes
        rows.append(case(rng, rng.choice(known[kinds[number % len(kinds)]])))
    file.write_text(json.dumps({"seed": seed, "cases": rows}), "utf-8")
    print(f"{len(rows)} designs of {len(kinds)} model types")


def draw_bases(file: Path) -> None:
    """Models as published, two of each model type."""
    from cutaway import gallery
    from cutaway.gallery import catalog
    from cutaway.gallery.designing.design import design

    rows = []
    for slug in (slug for slugs in models().values() for slug in slugs[:2]):
        made = design(catalog.load(slug))
        rows.append({"slug": slug, "edits": "", "config": made.json, "total": gallery.parameters(made.spec).total})
    file.write_text(json.dumps({"seed": None, "cases": rows}), "utf-8")


def kept() -> dict:
    return json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {}


# ---------------------------------------------------------------- build: what transformers makes of them


def build(config: dict) -> int:
    """Parameters of the language model that transformers builds from a config, each tensor once."""
    import torch
    from transformers import AutoModel, AutoModelForCausalLM, AutoModelForImageTextToText
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    whole = CONFIG_MAPPING[config["model_type"]].from_dict(config)
    text = whole.get_text_config()
    if text is not whole and "tie_word_embeddings" in config:
        text.tie_word_embeddings = config["tie_word_embeddings"]
    alone = type(text) in AutoModelForCausalLM._model_mapping
    name = str((config.get("architectures") or [""])[0])
    bare = name.endswith("Model") and not name.endswith("HeadModel")  # without an output head
    kind = AutoModel if alone and bare else AutoModelForCausalLM if alone else AutoModelForImageTextToText
    with torch.device("meta"):
        model = kind.from_config(text if alone else whole)
    model.tie_weights()
    found = dict(model.named_parameters())
    return sum(one.numel() for name, one in found.items() if alone or "language_model." in name or "lm_head" in name)


def build_all(file: Path) -> None:
    """Each case's total by transformers beside ours, or why it was not built."""
    import warnings

    import transformers

    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.PreTrainedModel.initialize_weights = lambda self: None
    told = json.loads(file.read_text("utf-8"))
    for one in told["cases"]:
        try:
            one["theirs"] = build(json.loads(one["config"]))
        except Exception as problem:  # whatever a class does not like
            one["theirs"], one["why"] = None, f"{type(problem).__name__}: {str(problem)[:200]}"
        if one["theirs"] != one["total"]:
            print(f"{one['slug']} {one['edits']}: ours {one['total']:,}, theirs {one['theirs']} {one.get('why', '')}")
    told["transformers"] = transformers.__version__
    file.write_text(json.dumps(told), "utf-8")
    good = sum(one["theirs"] == one["total"] for one in told["cases"])
    print(f"{good} of {len(told['cases'])} designs build to the printed total")


# ---------------------------------------------------------------- keep: what tests and the page read


def keep(file: Path) -> None:
    """designs.json: a row a case; built.json: how many designs of each model type were built, all of them equal."""
    told, before = json.loads(file.read_text("utf-8")), kept()
    if told["seed"] is None:
        apart = {}
        for one in told["cases"]:
            if one["theirs"] != one["total"]:
                apart[type_of(one["slug"])] = why_apart(one)
        return write(before | {"apart": dict(sorted(apart.items()))})
    version = told["transformers"]
    rows = [[one["slug"], one["edits"], digest(one["config"]), one["theirs"]] for one in told["cases"]]
    good, every = Counter(), Counter()
    for one in told["cases"]:
        every[type_of(one["slug"])] += 1
        good[type_of(one["slug"])] += one["theirs"] == one["total"]
    built = {kind: many for kind, many in sorted(good.items()) if many == every[kind]}
    BUILT.write_text(json.dumps({"transformers": version, "designs": built}, indent=1) + "\n", "utf-8")
    write(before | {"transformers": version, "seed": told["seed"], "cases": rows})
    print(f"{KEPT.name}: {len(rows)} designs; {BUILT.name}: {len(built)} model types")
    return None


def why_apart(one: dict) -> str:
    """Why a model as published is not built to our total."""
    why = one.get("why", "")
    if one["theirs"] is not None:
        return f"counted otherwise: {one['theirs']:,} parameters of {one['slug']}, here {one['total']:,}"
    return "no class in transformers" if why.startswith("KeyError") else f"the kept config is not built: {why[:90]}"


README = (
    "Random designs that transformers built: model, edits, digest of config.json, parameters. apart: model types that "
    "are not drawn, for it cannot build their catalogued configs to our totals, and why. Made by designs.py."
)


def write(told: dict) -> None:
    """One line for each row."""
    apart = ",\n".join(f"  {json.dumps(kind)}: {json.dumps(why)}" for kind, why in told.get("apart", {}).items())
    rows = ",\n".join(f"  {json.dumps(row)}" for row in told.get("cases", ()))
    head = "".join(f" {json.dumps(key)}: {json.dumps(told.get(key))},\n" for key in ("transformers", "seed"))
    text = f' "_readme": {json.dumps(README)},\n{head} "apart": {{\n{apart}\n }},\n "cases": [\n{rows}\n ]\n'
    KEPT.write_text(f"{{\n{text}}}\n", "utf-8")


def type_of(slug: str) -> str:
    """The model_type whose class is built: of the file, not of its text part."""
    from cutaway.gallery import catalog

    return catalog.load(slug).get("model_type") or catalog.spec(slug).model_type


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("draw", "build", "keep"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--cases", type=int, default=232)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="one model type")
    parser.add_argument("--bases", action="store_true", help="models as published, two of each model type")
    asked = parser.parse_args()
    if asked.what == "draw" and asked.bases:
        draw_bases(asked.file)
    elif asked.what == "draw":
        draw(asked.file, asked.cases, asked.seed, asked.only)
    else:
        {"build": build_all, "keep": keep}[asked.what](asked.file)


if __name__ == "__main__":
    sys.exit(main())
