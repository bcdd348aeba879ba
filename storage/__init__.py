"""Redis and its in-memory twin: keys, fenced commits, documents, and batches that make them."""
