"""config.json -> ModelSpec: facts under one name per meaning, what families add, layers built from them."""
