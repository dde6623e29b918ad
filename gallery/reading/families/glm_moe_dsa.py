"""GLM-5: DeepSeek-V3.2's layer; from 5.2 on most layers reuse an earlier indexer. MTP stores no embeddings."""

from dataclasses import replace

from cutaway.gallery.reading.families.deepseek_v3 import FAMILY as V3

FAMILY = replace(
    V3,
    source="transformers 5.23.0, models/glm_moe_dsa",
    index_interleaved=True,
    unread={**V3.unread, "rope_interleave": True, "indexer_rope_interleave": True},
    defaults={"mtp_stores_embeddings": False},
)
