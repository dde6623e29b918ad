"""PaddleOCR-VL: ERNIE 4.5's sizes and keys in Llama's layer; pairs that rotate are halves apart."""

from cutaway.gallery.reading.family import Family

FAMILY = Family(source="transformers 5.23.0, models/paddleocr_vl", defaults={"tie_word_embeddings": True})
