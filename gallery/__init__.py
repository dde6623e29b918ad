"""Cutaway's core: a config becomes a spec, and the spec becomes weights, memory and a drawing."""
