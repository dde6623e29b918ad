"""PagedAttention: blocks of KV cache, a scheduler in vLLM's terms, and what memory and batching cost."""
