"""Answers of roofline's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.roofline import reference


def moves(state: dict, data: dict) -> int:
    """Where the past's point goes when a batch grows from 1 to 64: 0 right, 1 it stays, 2 left."""
    one, many = (reference.compute({**state, "batch": n}, data)["past"]["intensity"] for n in (1, 64))
    return 1 if abs(many - one) <= 1e-9 * one else 0 if many > one else 2


def read_tb(state: dict, data: dict) -> float:
    """TB that all GPUs read in a second."""
    return state["gpus"] * reference.compute(state, data)["device"]["bandwidth"] / 1e12


def made_tflops(state: dict, data: dict) -> float:
    """TFLOP a second of the whole step, if nothing waited for bytes."""
    rows = reference.compute(state, data)["rows"]
    seconds = sum(row["flops_ms"] for row in rows) / 1e3
    return sum(row["flops"] for row in rows) / seconds / 1e12 if seconds else 0.0


def past_of_peak(state: dict, data: dict) -> float:
    """The share of the peak in 16 bits that work on the past gets."""
    now = reference.compute(state, data)
    return now["past"]["tflops"] * 1e12 / now["device"]["plain"]


answers = {"moves": moves, "read_tb": read_tb, "made_tflops": made_tflops, "past_of_peak": past_of_peak}
