"""Golden logits of constants: python tests/oracle/make_constants.py [MODEL_TYPE ...] > tests/oracle/constants.json

Needs torch and transformers, as prove.py does. For every model_type of forward/ one row: the first case's config with
all its multipliers, scales, epsilons, bases, caps and limits at values that no class assumes and no published file has,
and what transformers answers. Shapes, names and tokens are those of the case. A constant that a class refuses is left.
"""

from __future__ import annotations

import copy
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from cutaway.gallery import catalog
from cutaway.gallery.reading.constants import CONSTANTS
from cutaway.gallery.reading.families import load, stem_of
from cutaway.gallery.reading.keys import SPELLINGS
from cutaway.gallery.reading.text_part import unwrap

KEPT = Path(__file__).parent / "constants.json"  # where model types are named, the other rows stay
VALUES = (  # (names of constants, the value), the first that fits; {} multiplies what the case has
    (r"eps$", 2e-3), (r"local_rope_theta|compress_rope", 700.0), (r"theta|base", 3_000.0),
    (r"mlp_multipliers", [1.3, 0.7]), (r"ssm_multipliers", [1.1, 1.2, 1.3, 1.4, 0.8]),
    (r"attn_logit_softcapping", 0.7), (r"cap|clip|threshold", 0.6),
    (r"swiglu_limit", 0.5), (r"query_pre_attn_scalar", 7), (r"kda_lower_bound", -2.0), (r"time_step_min", 0.05),
    (r"time_step_limit", [0.05, 0.4]), (r"floor", 5),
)  # fmt: skip


YARN = {"rope_type": "yarn", "rope_theta": 3_000.0, "factor": 4.0, "original_max_position_embeddings": 16,
        "beta_fast": 16.0, "beta_slow": 2.0, "attention_factor": 1.2}  # fmt: skip
EXTRA = {  # stretchings that published files of a family have and no case of it
    "mellum": {"rope_parameters": {"full_attention": YARN, "sliding_attention": {"rope_type": "default",
                                                                                  "rope_theta": 700.0}}},
}  # fmt: skip


def unusual(name: str, now: Any) -> Any:
    """A value that nobody assumes."""
    for words, value in VALUES:
        if re.search(words, name):
            return value
    if isinstance(now, list):
        return [round(one * (1.1 + 0.1 * at), 4) for at, one in enumerate(now)]
    return round(now * 1.3, 6) if isinstance(now, int | float) and now not in (0, 1) else 0.7


@cache
def published() -> dict[str, set[str]]:
    """model_type -> the keys that published files of it have."""
    found: dict[str, set[str]] = {}
    for row in catalog.drawable_rows():
        text, _ = unwrap(catalog.load(row.slug))
        found.setdefault(str(text.get("model_type")), set()).update(text)
    return found


def spelled(model_type: str, config: dict, cls: type) -> dict[str, list[str]]:
    """canonical name -> the keys, of every constant that the case, the class or a published file of it has."""
    from tests.oracle.proving.options import fields_of

    own = load(stem_of(model_type)).spellings
    found: dict[str, list[str]] = {}
    for key in (*config, *fields_of(cls), *published().get(model_type, ())):
        name = own.get(key) or SPELLINGS.get(key, ("",))[0]
        if name in CONSTANTS and "." not in key:
            found.setdefault(name, [])
            if not found[name] or key in config:  # a file may spell one constant twice
                found[name].append(key)
    return found


def rotations(config: dict) -> dict:
    """Other bases, wherever this config says them."""
    said = copy.deepcopy(config.get("rope_parameters"))
    if not isinstance(said, dict):
        return {"rope_theta": 3_000.0}
    inner = [one for one in said.values() if isinstance(one, dict)]
    for at, one in enumerate(inner or [said]):
        one["rope_theta"] = 3_000.0 + 500 * at
    return {"rope_parameters": said}


def changes_of(base, cls) -> dict[str, Any]:
    """key -> its unusual value."""
    from tests.oracle.proving.options import fields_of

    found = spelled(base.model_type, base.config, cls)
    keys_of_base = found.pop("rope_theta", [])
    bases = [key for key in keys_of_base if key in base.config]
    if "+" in base.cls:  # what a wrapper does to the logits is not in a text tower
        found = {name: keys for name, keys in found.items() if not name.startswith(("logit", "final_logit"))}
    made = {key: unusual(name, base.config.get(key)) for name, keys in found.items() for key in keys}
    rotates = keys_of_base or "rope_parameters" in base.config or "rope_parameters" in fields_of(cls)
    made |= (rotations(base.config) if rotates else {}) | dict.fromkeys(bases, 3_000.0)
    return made | EXTRA.get(base.model_type, {})


def row_of(base) -> dict | None:
    """One model_type's row; constants that the class refuses together are tried one after the other."""
    import transformers

    from tests.oracle.proving.theirs import Illegal, ran

    cls = transformers.models.auto.configuration_auto.CONFIG_MAPPING[base.model_type]
    wanted, kept = changes_of(base, cls), {}
    try:
        found, kept = ran(base, {**base.config, **wanted}), wanted
    except Illegal:
        found = None
        for key, value in wanted.items():
            try:
                found = ran(base, {**base.config, **kept, key: value})
                kept = {**kept, key: value}
            except Illegal as problem:
                print(f"{base.model_type}: {key} = {value}: {problem}", file=sys.stderr)
    if not kept or found is None:
        return None
    made = found.made
    return {
        "case": base.case, "set": kept, "salt": made.salt, "tokens": made.tokens, "std": float(made.logits.std()),
        "last": [float(f"{value:.10g}") for value in made.logits[-1]],
        "mean": [float(f"{value:.10g}") for value in made.logits.mean(axis=1)],
    }  # fmt: skip


def main() -> None:
    """Prints all rows."""
    import transformers

    from tests.oracle.prove import quiet
    from tests.oracle.proving.bases import bases

    quiet()
    only = sys.argv[1:]
    kept = json.loads(KEPT.read_text(encoding="utf-8"))["rows"] if only else []
    rows = {row["case"]: row for row in kept}
    for kind, some in bases().items():
        if (not only or kind in only) and (row := row_of(some[0])):
            rows[row["case"]] = row
    lines = ",\n".join(json.dumps(rows[case], separators=(",", ":")) for case in sorted(rows))
    print(f'{{"transformers": "{transformers.__version__}", "rows": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()
