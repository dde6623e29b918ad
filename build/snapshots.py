"""A folder of config.json files and its PROVENANCE.json -> gallery/catalog/configs, one snapshot each.

    python build/snapshots.py ../shared/configs [--only deepseek] [--date 2026-11-20]

`cutaway snapshot <repo id | file>` writes one snapshot; this writes many, and again when the reader has learnt to read
more keys. Files under derived/ are marked as reconstructed, and so are those that a row of
gallery/catalog/config_patches.py mends. A hf_quant_config.json under sidecars/ joins a config that says nothing about
quantization itself.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import sys
from pathlib import Path

from cutaway.gallery.catalog import config_patches, snapshot
from cutaway.gallery.hub import with_sidecar
from cutaway.gallery.spec import ConfigError

HOW = {  # first letter of the tier -> sentence
    "A": "a copy of the Hub's file, from another public repository",
    "B": "the Hub's file as dumped by transformers, which adds defaults",
    "C": "transcribed from public code or pages",
    "D": "reconstructed from known dimensions and class defaults, not the Hub's file",
}
TRIMMED = "a copy from another repository, with keys trimmed or renamed"


def about(row: dict) -> dict[str, str | None]:
    """Where a file is from, for its snapshot's head."""
    tier = row["tier"]
    how = TRIMMED if tier.startswith("A") and "trimmed" in tier else HOW[tier[0]]
    revision = re.search(r"Hub revision ([0-9a-f]{40})", row.get("note") or "")
    found = f"{row['source_repo']} at {row['commit'][:12]}, {row['source_path']}" if row.get("commit") else None
    return {"revision": revision[1] if revision else None, "how": how, "found_in": found}


def copy_of(folder: Path, slug: str) -> Path:
    """The file of a model, wherever in the folder it stands."""
    name = slug.replace("/", "__") + ".json"
    return next(path for path in (folder / name, folder / "derived" / name) if path.exists())


def write(folder: Path, name: str, row: dict, date: str) -> str | None:
    """Write one snapshot; the sentence that says why not, if it cannot be."""
    config = json.loads((folder / name).read_text("utf-8"))
    slug = Path(name).stem.replace("__", "/")
    config = config_patches.patch_config(
        slug, config, lambda other: json.loads(copy_of(folder, other).read_text("utf-8"))
    )
    sidecar = folder / "sidecars" / (Path(name).stem + ".hf_quant_config.json")
    if sidecar.exists():
        config = with_sidecar(config, json.loads(sidecar.read_text("utf-8")))
    head, mend = about(row), config_patches.BY_SLUG.get(slug)
    if mend:
        head["how"] = mend.words(str(head["how"]))
    kind = "reconstructed" if mend or name.startswith("derived/") else "file"
    try:
        made = snapshot.snapshot(config, kind, date, slug, **head)
    except ConfigError as problem:
        return f"{slug}: {problem}"
    snapshot.path_of(slug).write_text(snapshot.dumps(made), "utf-8")
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only files whose name contains this")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    chosen = parser.parse_args()
    rows = json.loads((chosen.folder / "PROVENANCE.json").read_text("utf-8"))["files"]
    snapshot.CONFIGS.mkdir(exist_ok=True)
    names = [name for name in rows if not name.startswith("sidecars/") and chosen.only.lower() in name.lower()]
    refused = [words for name in names if (words := write(chosen.folder, name, rows[name], chosen.date))]
    print(f"{len(names) - len(refused)} of {len(names)} snapshots written to {snapshot.CONFIGS}")
    print("\n".join(refused), file=sys.stderr)
    return 3 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
