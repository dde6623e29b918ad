"""Libraries -> golden_casts.json: what each cast of policies.py makes of doubles where one rounding and two part.

    python tests/explainers/make_golden_casts.py CUDA_INCLUDES    (tests themselves need none of what this needs)

Needs torch 2.13, jax 0.10.2, onnx 1.23.2, onnxruntime 1.32, bitsandbytes 0.50.2, gfloat 0.5.2, ml_dtypes 0.6.0, g++,
and the folders with cuda_fp8.h and nv/target (nvidia-cuda-runtime 13.5, nvidia-cuda-cccl), with a colon between them.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from cutaway.explainers.bits import policies
from tests.explainers import cast_values
from tests.explainers.cast_libraries import RUN, cast_of

HERE = Path(__file__).resolve().parent
CONSTRUCT = """
#include <cstdio>
#include "cuda_fp8.h"
int main(int, char **v) {
  double x;
  while (fread(&x, 8, 1, stdin) == 1) {
    unsigned char made = v[1][0] == '4' ? __nv_fp8_e4m3(x).__x : __nv_fp8_e5m2(x).__x;
    fwrite(&made, 1, 1, stdout);
  }
}
"""


def cuda(includes: str):
    """The constructors of cuda_fp8.hpp, compiled for this machine's CPU."""
    import ml_dtypes

    folder = Path(tempfile.mkdtemp())
    (folder / "casts.cpp").write_text(CONSTRUCT)
    where = [f"-I{path}" for path in includes.split(":")]
    subprocess.run(["g++", "-std=c++17", "-O1", *where, "casts.cpp", "-o", "casts"], cwd=folder, check=True)

    def cast(name: str, x: np.ndarray) -> np.ndarray:
        asked = [str(folder / "casts"), "4" if "e4m3" in name else "5"]
        made = subprocess.run(asked, input=x.tobytes(), capture_output=True, check=True).stdout
        return np.frombuffer(made, np.uint8).view(getattr(ml_dtypes, name)).astype(np.float64)

    return cast


def main() -> None:
    run = {**RUN, "CUDA": cuda(sys.argv[1])}
    made: dict[str, dict] = {}
    for row in policies.POLICIES:
        name = row.format
        if not row.source.startswith("measured"):
            continue
        if name not in made:
            x = cast_values.adversarial(name, 30, np.random.default_rng(26))
            made[name] = {"x": [float(one).hex() for one in x], "casts": {}}
        x = np.array([float.fromhex(one) for one in made[name]["x"]])
        made[name]["casts"][row.library] = [spelt(one) for one in cast_of(row.library, run)(name, x)]
    rows = ",\n".join(
        f'"{name}": {{"x": {json.dumps(one["x"])},\n "casts": {{'
        + ",\n  ".join(
            f"{json.dumps(library)}: {json.dumps(' '.join(found))}" for library, found in one["casts"].items()
        )
        + "}}"
        for name, one in made.items()
    )
    (HERE / "golden_casts.json").write_text(f"{{{rows}}}\n")


def spelt(x: float | str) -> str:
    """A double in as few digits as read back, without a point; a library's refusal as it is."""
    return x if isinstance(x, str) else repr(float(x)).removesuffix(".0")


if __name__ == "__main__":
    main()
