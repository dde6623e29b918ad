"""transformers' own plans -> declared.json of gallery/planning, or what they do to golden cases -> plans_measured.json.

`make_plans.py facts > gallery/planning/declared.json` reads the configuration classes and the classes with a head.
`make_plans.py measured > tests/oracle/plans_measured.json` builds every golden case on the meta device, lets the
library resolve and apply its plan for 2, 3 and 4 pretended ranks, and writes what the first of them holds.
Both need torch and transformers (5.23.0 was used), which the project does not install.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

import torch
import torch.distributed as dist
import transformers
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from transformers.distributed.configuration_utils import DistributedConfig
from transformers.distributed.expert_parallel import apply_expert_parallelism
from transformers.distributed.tensor_parallel import apply_tensor_parallelism
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as PICTURES

CASES = Path(__file__).parent / "forward"
SIZES = (2, 3, 4)
SOURCE = f"transformers {transformers.__version__}: base_model_tp_plan, base_model_ep_plan and base_model_pp_plan of " \
         "the configuration classes, _tp_plan of the classes with a head"  # fmt: skip


def head_of(kind: str) -> str | None:
    """The style of `lm_head` in the class that a model_type is built as; None where it is built as none."""
    for names in (CAUSAL, PICTURES):
        if kind in names:
            name = names[kind] if isinstance(names[kind], str) else names[kind][0]
            return (getattr(transformers, name)._tp_plan or {}).get("lm_head", "")
    return None


def parts() -> dict[str, tuple[type, list[str]]]:
    """{model_type: (the class of its text part, the types it is built as)}; text parts stand for themselves too."""
    out = {}
    for kind in sorted(CONFIG_MAPPING):
        try:
            config = CONFIG_MAPPING[kind]().get_text_config(decoder=True)
        except Exception as error:
            print(kind, type(error).__name__, str(error)[:80], file=sys.stderr)
            continue
        if head_of(kind) is not None or hasattr(config, "vocab_size"):
            out[kind] = (type(config), [kind])
            out.setdefault(config.model_type, (type(config), []))[1].append(kind)
    return out


def facts() -> dict:
    """Every model_type of a language model with a plan; types that share one stand in one row."""
    rows: dict[str, list[str]] = {}
    for kind, (text, built) in sorted(parts().items()):
        tp, ep = dict(text.base_model_tp_plan or {}), dict(text.base_model_ep_plan or {})
        heads = [head_of(one) or "" for one in built if head_of(kind) is None or one == kind]
        row = {"tp": tp, "ep": ep, "pp": list(text.base_model_pp_plan or {}), "head": max(heads, default="")}
        if tp or ep:
            rows.setdefault(json.dumps(row), []).append(kind)
    return {"source": SOURCE, "plans": [{"types": types, **json.loads(row)} for row, types in rows.items()]}


def build(case: dict):
    """The golden case's model on the meta device, its head untied as while weights are loaded."""
    name = case["cls"].partition(" + ")[0]
    config = transformers.AutoConfig.for_model(**case["config"])
    cls = getattr(transformers, name, None)
    if cls is None:
        folder = config.model_type.removesuffix("_text")
        cls = getattr(import_module(f"transformers.models.{folder}.modeling_{folder}"), name)
    with torch.device("meta"):
        model = cls(config)
    if hasattr(getattr(model, "lm_head", None), "weight"):
        model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    return model


def generic(name: str) -> str:
    return re.sub(r"\.\d+(\.|$)", lambda found: ".*" + found[1], name)


def held(case: dict, size: int, dealt: bool = False) -> dict[str, tuple[int, int]]:
    """{"name AxB": (dimension, its length on the first of `size` ranks)} of every parameter that is cut.

    `dealt`: the same ranks are expert-parallel too, whose rules go before the others.
    """
    model = build(case)
    dist.init_process_group("fake", rank=0, world_size=size, store=FakeStore())
    try:
        mesh = init_device_mesh("cpu", (size,), mesh_dim_names=("tp",))
        config = DistributedConfig(tp_size=size, ep_size=size if dealt else 1)
        tp, ep, _ = model._resolve_parallel_plans(config)
        apply_tensor_parallelism(model, mesh, tp)
        if dealt:
            apply_expert_parallelism(model, mesh, mesh, ep)
        return dict(cuts(model))
    finally:
        dist.destroy_process_group()


def cuts(model):
    """What of an applied plan is cut, one row for all layers that are alike."""
    for name, one in model.named_parameters():
        if isinstance(one, DTensor):
            whole, local = list(one.shape), list(one.to_local().shape)
            found = [at for at, (a, b) in enumerate(zip(whole, local, strict=True)) if a != b]
            if found:
                yield f"{generic(name)} {'x'.join(map(str, whole))}", (found[0], local[found[0]])


def measured() -> dict:
    """{case: {"name AxB": [dimension, length at 2, 3 and 4 ranks]}}; in "dealt" at 2 ranks, expert-parallel too."""
    out, dealt = {}, {}
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text())
        try:
            model = build(case)
            if model._tp_plan:
                found = [held(case, size) for size in SIZES]
                out[path.stem] = {name: [at, *(one[name][1] for one in found)] for name, (at, _) in found[0].items()}
            if model._tp_plan and model._ep_plan:
                dealt[path.stem] = held(case, 2, dealt=True)
        except Exception as error:
            print(path.stem, type(error).__name__, str(error)[:200], file=sys.stderr)
    return {"transformers": transformers.__version__, "torch": torch.__version__, "dealt": dealt, "cases": out}


def lines(found: dict, rows: str) -> str:
    """JSON with one line for each row of its last key."""
    head = json.dumps({key: value for key, value in found.items() if key != rows})[1:-1]
    kept = found[rows]
    if isinstance(kept, dict):
        body = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in kept.items())
        return f'{{{head}, "{rows}": {{\n{body}\n}}}}'
    return f'{{{head}, "{rows}": [\n' + ",\n".join(map(json.dumps, kept)) + "\n]}"


if __name__ == "__main__":
    print(lines(facts(), "plans") if sys.argv[1] == "facts" else lines(measured(), "cases"))
