"""Once: how many parameters transformers creates on meta tensors -> the totals of tests/oracle/classes.json.

The configs and the variations in that file are its input: each is built again and counted, tied weights once. In a
virtual environment outside this repository:

    pip install torch==2.13.0 transformers==5.23.0
    python tests/oracle/make_classes.py           # prints what differs from the file
    python tests/oracle/make_classes.py --write   # writes the totals it counted

A new class: put its config there with total 0, trimmed to the keys that we read, and run with --write.
"""

import json
import sys
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM

FILE = Path(__file__).with_name("classes.json")


def total(config: dict) -> int:
    """Parameters of one config, each tensor once."""
    known = {key: value for key, value in config.items() if key != "model_type"}
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(config["model_type"], **known))
    model.tie_weights()
    return sum(parameter.numel() for parameter in model.parameters())


def measured(name: str, config: dict, before: int) -> int:
    """The total, and a line where it is not what the file says; what cannot be built keeps its total."""
    try:
        found = total(config)
    except Exception as problem:
        print(f"{name}: not built: {type(problem).__name__}: {str(problem)[:120]}")
        return before
    if found != before:
        print(f"{name}: {before:,} in the file, {found:,} counted")
    return found


def main() -> None:
    file = json.loads(FILE.read_text())
    for name, row in file["classes"].items():
        row["total"] = measured(name, row["config"], row["total"])
        for variation in row.get("variants", ()):
            changed, before = variation
            variation[1] = measured(f"{name} {changed}", row["config"] | changed, before)
    more = sum(len(row.get("variants", ())) for row in file["classes"].values())
    print(f"{len(file['classes'])} classes, {more} variations")
    if "--write" in sys.argv:
        write(file)


def write(file: dict) -> None:
    """One line for each class."""
    lines = [f"  {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}" for name, row in file["classes"].items()]
    rows = ",\n".join(lines)
    FILE.write_text(f'{{\n "_readme": {json.dumps(file["_readme"])},\n "classes": {{\n{rows}\n }}\n}}\n')


if __name__ == "__main__":
    main()
