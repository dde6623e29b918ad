"""Number formats and the schemes that share a scale among a block of numbers: a row each."""
