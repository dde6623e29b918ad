"""/your-model/: a config of the reader's own, drawn in the browser; the same Python runs there, in a worker."""
