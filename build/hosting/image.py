"""The checkout -> a folder that holds what a container is built from, and nothing else; a Hugging Face Space takes it.

    python build/hosting/image.py dist/image
    python build/hosting/image.py dist/image --space owner/name   # and upload it: needs `hf auth login` or HF_TOKEN

The folder has the tracked files that a wheel needs, as they are now, Containerfile under the name that Docker expects,
and a README.md with the head that a Space reads.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOSTING = Path(__file__).resolve().parent
# What a wheel is made of. README.md is the package's description: the Space's head stands above it.
PARTS = ("pyproject.toml", "setup.py", "LICENSE", "package.json", "package-lock.json", ".npmrc")
PARTS += ("cutaway", "gallery", "explainers", "app", "static", "build")
MARK = "Dockerfile"  # a folder without it is not ours to replace


class LayoutError(ValueError):
    """A sentence for whoever ran the script."""


def tracked(root: Path = ROOT) -> list[str]:
    """Paths of PARTS that git knows, relative to the checkout, those that are new and not ignored among them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *PARTS]
    try:
        ran = subprocess.run(command, cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        raise LayoutError("git was not found: it says which files belong to Cutaway. Install git.") from None
    if ran.returncode:
        raise LayoutError(f"{root} is no git checkout ({ran.stderr.strip()}): clone the repository and run this there.")
    return [name for name in ran.stdout.split("\0") if name and (root / name).is_file()]


def lay_out(out: Path, root: Path = ROOT) -> int:
    """Write the folder anew; how many files it has."""
    if out.exists() and any(out.iterdir()) and not (out / MARK).is_file():
        raise LayoutError(f"{out} holds other things than an image, and would be replaced whole: name another folder.")
    names = tracked(root)
    shutil.rmtree(out, ignore_errors=True)
    for name in names:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, out / name)
    shutil.copyfile(HOSTING / "Containerfile", out / MARK)
    shutil.copyfile(HOSTING / "space.md", out / "README.md")
    return len(names) + 2


def upload(out: Path, repo: str) -> str:
    """Make the Space where it does not exist, and send the folder; the address of the Space."""
    from huggingface_hub import HfApi

    api = HfApi()
    api.create_repo(repo, repo_type="space", space_sdk="docker", exist_ok=True)
    api.upload_folder(repo_id=repo, repo_type="space", folder_path=out, delete_patterns="*", commit_message="Cutaway")
    return f"https://huggingface.co/spaces/{repo}"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", type=Path, help="the folder, replaced whole")
    parser.add_argument("--space", default="", metavar="OWNER/NAME", help="upload it to this Hugging Face Space")
    options = parser.parse_args(argv)
    try:
        print(f"{lay_out(options.out)} files in {options.out}")
    except LayoutError as problem:
        parser.error(str(problem))
    if options.space:
        print(upload(options.out, options.space))
    return 0


if __name__ == "__main__":
    sys.exit(main())
