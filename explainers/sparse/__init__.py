"""Sparse attention: which tokens each method reads, what is lost, and what choosing costs."""
