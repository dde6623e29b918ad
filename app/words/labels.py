"""A short label of a page -> what it means, for its title: shown on hover, focus and tap (app/site/say.js)."""

from __future__ import annotations

CACHE = "Bytes of keys, values or latents that each further token adds while decoding, in 16 bits. KB is 1,000 bytes."
SAYS = {
    "parameters": "Numbers that the language model learned. An output head tied to the embedding counts once.",
    "active per token": "Parameters that one token is multiplied with. Experts it is not routed to, and lookup tables, "
    "are left out.",
    "layers": "num_hidden_layers: attention, or what stands in its place, with its MLP.",
    "context": "The longest text, in tokens, that the config allows: max_position_embeddings.",
    "cache per token": CACHE,
    "windows, once full": "A sliding window caches its last tokens only: this is what all windows hold from then on.",
    "fixed state": "What recurrent layers keep for a sequence; it does not grow with the text.",
    "weights": "Bytes of the checkpoint's weights, in the formats they are stored in. GB is 10⁹ bytes.",
    "stored": "The number format that most weights of the checkpoint are stored in. Where one scale serves a block of "
    "numbers, the block's size is named; “assumed” means that the config does not say.",
    "reconstructed": "No original config.json was available, so this one was rebuilt from what Sources names.",
    "machine-drawn, unreviewed": "A weekly job found this model on the Hub and drew its config.json. Nobody has "
    "compared the drawing with the modelling code yet.",
    "read only from config keys": "Cutaway does not know this model_type, so the drawing follows only the keys of "
    "the config.",
    "place": "The model's place, by date, among the models of this catalogue with this mechanism. A model outside the "
    "catalogue that is known to be earlier is named.",
    "Share": "Per cent of all parameters.",
    "Parameters each": "Parameters of one such layer.",
    "Active each": "Parameters of one such layer that a token is multiplied with.",
    "Total": "Parameters of all layers of this kind.",
    "× this model": "Its bytes divided by this model's.",
    "FLOP/byte": "Arithmetic for each byte read or written: the arithmetic intensity. The roofline plots it.",
    "At least": "The longer of two times: the arithmetic at the device's peak, the bytes at its memory's speed.",
    "windows and state": "What sliding windows hold once full, and recurrent layers always; neither grows any more.",
    "Bits per parameter": "Bits for one number, its share of the block's scale included.",
}


def says(label: str) -> str:
    """What a label means; labels begin with the words that a row has."""
    return SAYS.get(label) or next((words for start, words in SAYS.items() if label.startswith(start)), "")
