"""nanochat: RMSNorm without weights, relu2 without a gate."""

from gallery.reading.family import Family

FAMILY = Family(
    source="transformers 5.23.0, models/nanochat",
    defaults={"hidden_act": "relu2"},
    norm_weight=False,
    qk_norm="unweighted",
    gated=False,
    names=(("mlp.up_proj", "mlp.fc1"), ("mlp.down_proj", "mlp.fc2")),
)
