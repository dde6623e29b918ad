"""A config and its commit -> the config with ModelOpt's second file, from the cache or the Hub, or why it is not."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from cutaway.gallery.hub.errors import explain, for_visitor, parse_object
from cutaway.gallery.hub.repo_address import Address, HubError
from cutaway.gallery.reading.ignored import QUANTIZED

SIDECAR = "hf_quant_config.json"
UNTOLD = f". Whether its weights are quantized may stand in {SIDECAR}, which was not had"


def is_quantized(config: dict) -> bool:
    """Whether a config says itself how it is quantized."""
    parts = (config, config.get("text_config"))
    return any(key in part for part in parts if isinstance(part, dict) for key in QUANTIZED)


def with_sidecar(config: dict, beside: dict) -> dict:
    """Add ModelOpt's hf_quant_config.json where the config itself says nothing about quantization."""
    inner = beside.get("quantization")
    block = {"quant_method": "modelopt", **(inner if isinstance(inner, dict) else beside)}
    return config if is_quantized(config) else {**config, "quantization_config": block}


def fetch_sidecar(hub: Any, where: Address, commit: str, config: dict) -> tuple[dict, str]:
    """The config with the file beside it at that commit, and what to tell where that could not be had."""
    known = cached_sidecar(hub, where, commit, config)
    if known is not None:
        return known, ""
    at = where._replace(revision=commit)
    try:
        hub.ask(at, SIDECAR)
        return with_sidecar(config, parse_object(hub.get(at, SIDECAR, commit), at, SIDECAR)), ""
    except Exception as error:
        problem = error if isinstance(error, HubError) else explain(error, at, SIDECAR, hub.timeout)
    if problem.kind in ("no-config", "missing"):  # there is none
        note_lack(hub, at)
        return config, ""
    return config, f"{UNTOLD}: {problem if hub.token else for_visitor(problem, where)}"


def cached_sidecar(hub: Any, where: Address, commit: str, config: dict) -> dict | None:
    """The same from the cache, which never ages at one commit; None where it knows nothing of a file beside it."""
    at = where._replace(revision=commit)
    if is_quantized(config) or lacks(hub, at):
        return config
    try:
        found = hub.cached(at, SIDECAR)
        return with_sidecar(config, parse_object(found[0], at, SIDECAR)) if found else None
    except HubError:  # what lies there is broken: it is asked for again
        return None


def lacks(hub: Any, at: Address) -> bool:
    """Whether an earlier visit found that there is no such file at that commit."""
    known = hub.client.try_to_load_from_cache(at.repo, SIDECAR, cache_dir=hub.cache_dir, revision=at.revision)
    return known is not None and not isinstance(known, str)


def note_lack(hub: Any, at: Address) -> None:
    """Leave the client's own mark that there is no such file at that commit: asking alone does not."""
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name

    folder = repo_folder_name(repo_id=at.repo, repo_type="model")
    mark = Path(hub.cache_dir or constants.HF_HUB_CACHE, folder, ".no_exist", str(at.revision), SIDECAR)
    with contextlib.suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
