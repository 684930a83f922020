"""The decision model: one file an idea, each standing on the one before. The order is in docs/model.md."""
