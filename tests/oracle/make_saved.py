"""Once: what configuration classes of transformers make of a config -> tests/oracle/saved.json.

For every case of tests/oracle/forward whose class can be made:

"saved"  the config as `save_pretrained` would write it, where keys change: {"gone": [...], "set": {...}}
"lists"  lists with an entry for each layer that the class works out where the config has none, at other depths too:
         {"without": keys taken out, "made": [[num_hidden_layers or null for the case's own, {key: list}], ...]}

In a virtual environment outside this repository:

    pip install transformers==5.23.0
    python tests/oracle/make_saved.py
"""

import json
from pathlib import Path

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

HERE = Path(__file__).parent
DEPTHS = (None, 7, 12)
DEPTH = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
ALWAYS = ("layer_types", "mlp_layer_types")
SIZES = ("intermediate_size",)  # lists that a file has to state


def made(model_type: str, config: dict) -> object | None:
    """The class's own object, or None where it refuses."""
    try:
        return CONFIG_MAPPING[model_type](**{key: value for key, value in config.items() if key != "model_type"})
    except Exception:  # each class has its own way to refuse
        return None


def saved(model_type: str, config: dict) -> dict | None:
    """What saving changes, beyond keys with no value."""
    one = made(model_type, config)
    if one is None:
        return None
    found = json.loads(one.to_json_string())
    fresh = {key: value for key, value in found.items() if value is not None and config.get(key) != value}
    return {"gone": sorted(config.keys() - found.keys()), "set": fresh}


def lists(model_type: str, config: dict) -> dict | None:
    """The class's own lists of layers, depth by depth."""
    own = {key for key, value in config.items() if isinstance(value, list) and key not in ("architectures", *SIZES)}
    bare = {key: value for key, value in config.items() if key not in own}
    out = []
    for depth in DEPTHS:
        key = next((key for key in DEPTH if key in bare), None)
        if depth and not key:
            continue
        one = made(model_type, {**bare, key: depth} if depth else bare)
        found = {name: value for name in sorted({*own, *ALWAYS}) if isinstance(value := getattr(one, name, None), list)}
        out += [[depth, found]] if found else []
    return {"without": sorted(own), "made": out} if out else None


def main() -> None:
    rows: dict[str, dict] = {"saved": {}, "lists": {}}
    for path in sorted((HERE / "forward").glob("*.json")):
        case = json.loads(path.read_text())
        if case["model_type"] in CONFIG_MAPPING:
            rows["saved"][path.stem] = saved(case["model_type"], case["config"])
            rows["lists"][path.stem] = lists(case["model_type"], case["config"])
    kept = {part: {name: row for name, row in found.items() if row} for part, found in rows.items()}
    lines = (
        f"{json.dumps(part)}: {{\n"
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(row, sort_keys=True)}" for name, row in found.items())
        + "\n}"
        for part, found in kept.items()
    )
    (HERE / "saved.json").write_text("{" + ",\n".join(lines) + "}\n")


if __name__ == "__main__":
    main()
