"""What pyproject.toml cannot say: a wheel carries bundled scripts; build/ is ours, so setuptools works elsewhere."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class Build(build_py):
    """The package's files, after the scripts were bundled: static/bundles/ is among them."""

    def run(self) -> None:
        if not self.editable_mode:
            with TemporaryDirectory() as linked:
                self.bundle(Path(linked))
        super().run()

    def bundle(self, linked: Path) -> None:
        """Run build/bundles.py where nothing is installed: folders are linked as the package that they make."""
        package = linked / "cutaway"
        package.mkdir()
        for path in (
            *(ROOT / "cutaway").iterdir(),
            *(ROOT / name for name in ("gallery", "explainers", "app", "static")),
        ):
            (package / path.name).symlink_to(path)
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(linked), *sys.path])}
        if code := subprocess.run([sys.executable, ROOT / "build" / "bundles.py"], env=env).returncode:
            sys.exit(code)


with TemporaryDirectory(prefix="cutaway-") as folder:
    setup(options={"build": {"build_base": folder}, "egg_info": {"egg_base": folder}}, cmdclass={"build_py": Build})
