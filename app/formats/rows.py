"""The formats, the hardware and the engines of /formats/, each claim a row with its source.

What is not here was not looked up: the page says so, and never guesses.
"""

from __future__ import annotations

from typing import NamedTuple

BLACKWELL, RTX, HOPPER, ADA, AMPERE = "blackwell", "rtx", "hopper", "ada", "ampere"
MI300, MI350, APPLE, CPU = "mi300", "mi350", "apple", "cpu"
NVIDIA = (BLACKWELL, RTX, HOPPER, ADA, AMPERE)
AMD = (MI300, MI350)


class Trap(NamedTuple):
    """What goes wrong with a format, and where it did."""

    says: str
    sources: tuple[str, ...]


class Choice(NamedTuple):
    """One format that a reader may choose. Bits and bytes are those of its row in gallery.formats.schemes."""

    key: str
    label: str
    scheme: str  # of gallery.formats.schemes
    product: str  # what a chip must multiply so that the weights need not be converted; "" = always dequantized
    says: str  # how it stores a weight
    traps: tuple[Trap, ...]
    method: str = ""  # the tool whose files are counted, a key of stored_bytes.BESIDE


CHOICES = (
    Choice(
        "nvfp4", "NVFP4", "nvfp4", "nvfp4",
        "FP4 E2M1; 16 weights share an E4M3 scale, and the whole tensor an FP32 scale.",
        (
            Trap("compressed-tensors stores the tensor’s scale as a reciprocal, to divide by; ModelOpt stores it to"
                 " multiply by. An engine that takes one for the other prints garbage.",
                 ("modular-6600", "modular-6699", "trt-16447")),
            Trap("vLLM loaded a ModelOpt file without the tensor’s scale without an error, and multiplied by whatever"
                 " was in memory; the fix was still open when we looked.", ("vllm-54444",)),
            Trap("Four over Six lets a block’s largest number become 4 instead of 6. Its tensor scale has to leave"
                 " room, 256 in place of 448; with 448 the largest block cannot use it.", ("four",)),
            Trap("GGUF’s NVFP4 has UE4M3 scales and no tensor scale inside its blocks: it is not a copy of the same"
                 " bytes.",
                 ("gguf-spec",)),
        ),
        "modelopt",
    ),
    Choice(
        "mxfp4", "MXFP4", "mxfp4", "mxfp4", "FP4 E2M1; 32 weights share a power of two (E8M0).",
        (
            Trap("The OCP rule rounds the scale down and clips the largest weight of many blocks; NVIDIA’s RCEIL"
                 " rounds it up, AMD’s Quark rounds to even. Accuracy drops where the engine scales activations by"
                 " another rule than the checkpoint was calibrated with.",
                 ("aiter", "atom")),
        ),
    ),
    Choice(
        "mxfp8", "MXFP8", "mxfp8_e4m3", "mxfp8", "FP8 E4M3; 32 weights share a power of two (E8M0).",
        (Trap("For 8-bit elements the scale should be rounded up: rounded down, as OCP’s example does, blocks clip.",
              ("recipe",)),),
    ),
    Choice(
        "fp8_tensor", "FP8, per tensor", "fp8_tensor", "fp8", "FP8 E4M3; one FP32 scale for a whole matrix.",
        (
            Trap("E4M3 ends at 448, but AMD’s MI300 uses E4M3 FNUZ, which ends at 240 and reads the same byte as half"
                 " the value.", ("fnuz",)),
            Trap("A number above 464 becomes NaN in older torch, and 448 since 2.12.", ("torch-saturates",)),
        ),
        "fp8",
    ),
    Choice(
        "fp8_channel", "FP8, per channel", "fp8_channel", "fp8", "FP8 E4M3; one FP32 scale for each output row.",
        (),
    ),
    Choice(
        "fp8_128x128", "FP8, 128×128 blocks", "fp8_128x128", "fp8", "FP8 E4M3; one FP32 scale for each 128 × 128 tile.",
        (
            Trap("The tensor is called weight_scale_inv, and yet it multiplies: weight ×"
                 " weight_scale_inv.", ("deepseek",)),
            Trap("Sharding must not cut a tile: what each rank holds has to divide by 128.", ("tile",)),
        ),
        "fp8",
    ),
    Choice(
        "int8_channel", "INT8, per channel", "int8_channel", "int8", "Whole numbers of 8 bits; one scale for each"
                                                                     " output row.",
        (Trap("vLLM does not run it on Blackwell (compute capability 10 and up); it says to use FP8"
              " there.", ("ptx-int8",)),),
    ),
    Choice(
        "int4_g128", "INT4, groups of 128", "int4_g128", "", "Whole numbers of 4 bits, rounded to nearest; 128"
                                                             " weights share a scale.",
        (Trap("Rounding to nearest ignores the inputs: GPTQ and AWQ store the same kind of codes, chosen with"
              " calibration data.", ("gptq-paper", "awq-paper")),),
        "compressed-tensors",
    ),
    Choice(
        "gptq", "GPTQ", "int4_gptq", "", "INT4 in groups of 128 with a zero point; codes are chosen to keep the"
                                         " layer’s output.",
        (Trap("Version 1 checkpoints store the zero point minus 1, version 2 stores it as it is.", ("gptq-zero",)),),
        "gptq",
    ),
    Choice(
        "awq", "AWQ", "int4_awq", "", "INT4 in groups of 128 with a zero point; the weights of each input are first"
                                      " scaled by how large it is.",
        (Trap("Eight output columns share an int32 in the order 0 2 4 6 1 3 5 7; GPTQ packs eight inputs in"
              " order.", ("awq",)),),
    ),
    Choice(
        "q4_k", "Q4_K (GGUF)", "q4_k", "", "4-bit codes; 32 weights share a 6-bit scale and a minimum, 256 share two"
                                           " FP16 numbers.",
        (
            Trap("A row must divide by 256. Where it does not, llama.cpp falls back to Q5_0, and the file grows: to"
                 " 6.18 bits instead of 5.00 in one Nemotron.", ("gguf-256",)),
            Trap("“Dequantized” is not how llama.cpp multiplies it: on NVIDIA GPUs it rounds the inputs to 8 bits and"
                 " multiplies whole numbers, on tensor cores since June 2024.", ("gguf-mmq",)),
            Trap("Q4_K_M, the usual file, is a mixture: some tensors are Q6_K, so it takes more than 4.5"
                 " bits.", ("gguf-256",)),
        ),
    ),
    Choice(
        "nf4", "NF4 (bitsandbytes)", "nf4", "", "A table of 16 quantiles of a bell curve; 64 weights share an FP32"
                                                " scale.",
        (
            Trap("The first weight of a byte is in the high nibble, the other way round than in torchao or"
                 " GGUF.", ("bnb",)),
            Trap("It is made for finetuning (QLoRA), and is dequantized for every product.", ("hf-choose", "qlora")),
        ),
    ),
)  # fmt: skip


class Hardware(NamedTuple):
    """Chips that multiply the same formats."""

    key: str
    label: str
    native: tuple[str, ...]  # products; none, where nothing was looked up
    sources: tuple[str, ...]
    devices: tuple[str, ...] = ()  # of gallery.planning.devices, whose peaks say the same
    note: str = ""  # what is true of some of these chips only


HARDWARE = (
    Hardware(BLACKWELL, "NVIDIA Blackwell: B200, B300, GB200", ("nvfp4", "mxfp4", "mxfp8", "fp8"),
             ("te", "torchao-mx", "cutlass-int8"), ("b200_sxm", "b300_sxm", "gb200", "gb300"),
             "B200 and GB200 multiply INT8, too; of B300 this was not looked up."),
    Hardware(RTX, "NVIDIA Blackwell: RTX PRO 6000, RTX 50", ("nvfp4", "mxfp4", "mxfp8", "fp8"),
             ("gguf-blackwell", "te", "rtx-mxfp8"), ("rtx_pro_6000_server",), "INT8 was not looked up."),
    Hardware(HOPPER, "NVIDIA Hopper: H100, H200", ("fp8", "int8"), ("te", "ptx-int8"),
             ("h100_sxm", "h100_pcie", "h200_sxm")),
    Hardware(ADA, "NVIDIA Ada: L4, L40S, RTX 40", ("fp8", "int8"), ("te", "ptx-int8"), ("l4", "l40s")),
    Hardware(AMPERE, "NVIDIA Ampere: A100, RTX 30", ("int8",), ("te", "ptx-int8"), ("a100_sxm", "a100_pcie", "a30")),
    Hardware(MI300, "AMD MI300X, MI325X", ("fp8", "int8"), ("vllm-fp8", "cdna-int8")),
    Hardware(MI350, "AMD MI350X, MI355X", ("mxfp4", "mxfp8", "fp8", "int8"), ("cdna4", "cdna4-mma", "cdna-int8")),
    Hardware(APPLE, "Apple silicon", (), ()),
    Hardware(CPU, "CPU", (), ()),
)  # fmt: skip


class Support(NamedTuple):
    """An engine reads a format, on the hardware that its source names; where it names none, on NVIDIA's that can."""

    engine: str
    choice: str
    hardware: tuple[str, ...]
    source: str
    makes: bool = False  # writes such files, too
    note: str = ""


ENGINES = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "trt": "TensorRT LLM",
    "llama": "llama.cpp",
    "mlx": "MLX",
    "hf": "transformers",
    "torchao": "torchao",
}
ALL = (*NVIDIA, *AMD, APPLE, CPU)
TENSOR_FP8 = (BLACKWELL, RTX, HOPPER, ADA)
SUPPORT = (
    Support("vllm", "nvfp4", NVIDIA, "vllm-fp4", note="without FP4 units, or a kernel for them, weight-only by Marlin"),
    Support("vllm", "mxfp4", (BLACKWELL, RTX, HOPPER), "vllm-fp4", note="gpt-oss; on RTX cards by Marlin"),
    *(Support("vllm", key, (*NVIDIA, MI300), "vllm-fp8", note="on Ampere weight-only by Marlin")
      for key in ("fp8_tensor", "fp8_channel")),
    Support("vllm", "fp8_128x128", (BLACKWELL, HOPPER), "vllm-fp8"),
    Support("vllm", "int8_channel", (HOPPER, ADA, AMPERE, CPU), "vllm"),
    Support("vllm", "int4_g128", (HOPPER, ADA, AMPERE), "vllm"),
    Support("vllm", "gptq", (HOPPER, ADA, AMPERE, CPU), "vllm"),
    Support("vllm", "awq", (HOPPER, ADA, AMPERE, CPU), "vllm"),
    Support("vllm", "q4_k", (HOPPER, ADA, AMPERE, *AMD), "vllm", note="GGUF"),
    Support("vllm", "nf4", (HOPPER, ADA, AMPERE), "vllm", note="bitsandbytes"),
    Support("sglang", "nvfp4", (BLACKWELL, RTX, MI300), "sglang", note="modelopt_fp4; on MI300 by Petit"),
    Support("sglang", "mxfp4", (*NVIDIA, *AMD), "sglang"),
    Support("sglang", "fp8_tensor", (BLACKWELL, RTX, HOPPER), "sglang", note="modelopt_fp8"),
    Support("sglang", "fp8_channel", (*TENSOR_FP8, *AMD), "sglang", note="w8a8_fp8"),
    Support("sglang", "fp8_128x128", (*TENSOR_FP8, *AMD), "sglang", note="fp8"),
    Support("sglang", "int8_channel", (HOPPER, ADA, AMPERE, *AMD), "sglang", note="w8a8_int8"),
    Support("sglang", "int4_g128", NVIDIA, "sglang", note="torchao int4wo"),
    *(Support("sglang", key, (*NVIDIA, *AMD), "sglang") for key in ("gptq", "awq")),
    Support("sglang", "q4_k", NVIDIA, "sglang", note="GGUF"),
    Support("sglang", "nf4", NVIDIA, "sglang", note="bitsandbytes"),
    *(Support("trt", key, (BLACKWELL, RTX), "trt") for key in ("nvfp4", "mxfp4")),
    Support("trt", "fp8_tensor", TENSOR_FP8, "trt"),
    Support("trt", "fp8_channel", (HOPPER,), "trt"),
    Support("trt", "fp8_128x128", (BLACKWELL, HOPPER), "trt", note="on Blackwell with power-of-two scales, as MXFP8"),
    Support("trt", "int8_channel", (HOPPER, ADA, AMPERE), "modelopt", note="SmoothQuant"),
    *(Support("trt", key, (HOPPER, ADA, AMPERE), "trt", note="W4A16; W4A8 on Hopper, Ada") for key in ("gptq", "awq")),
    Support("llama", "q4_k", ALL, "llama", makes=True),
    Support("llama", "mxfp4", NVIDIA, "gguf-blackwell", makes=True, note="native on Blackwell, else integer products"),
    Support("llama", "nvfp4", NVIDIA, "gguf-nvfp4", note="native on Blackwell, else integer products"),
    *(Support("mlx", key, (APPLE,), "mlx", makes=True) for key in ("nvfp4", "mxfp4", "mxfp8")),
    Support("mlx", "int4_g128", (APPLE,), "mlx", makes=True, note="affine: with a bias, in groups of 32, 64 or 128"),
    Support("hf", "awq", (*NVIDIA, *AMD, CPU), "hf"),
    Support("hf", "gptq", (*NVIDIA, *AMD, CPU), "gptqmodel", note="GPTQModel"),
    Support("hf", "nf4", ALL, "bnb-install", makes=True, note="bitsandbytes, quantizes while loading"),
    *(Support("hf", key, TENSOR_FP8, "hf-choose", note="compressed-tensors") for key in ("fp8_tensor", "fp8_channel")),
    *(Support("torchao", key, TENSOR_FP8, "torchao", makes=True) for key in ("fp8_tensor", "fp8_channel")),
    Support("torchao", "int8_channel", (HOPPER, ADA, AMPERE), "torchao", makes=True),
    Support("torchao", "int4_g128", (HOPPER, ADA, AMPERE), "torchao", makes=True),
    *(Support("torchao", key, (BLACKWELL,), "torchao-mx", makes=True, note="prototype") for key in ("mxfp8", "mxfp4")),
    Support("torchao", "nvfp4", (BLACKWELL,), "torchao", makes=True, note="prototype"),
)  # fmt: skip
BY_KEY = {row.key: row for row in CHOICES}
CELLS = {(row.engine, row.choice): row for row in SUPPORT}
