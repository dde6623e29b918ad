"""Speculative decoding: a small model drafts, the model of next-token checks all drafts in one pass."""
