"""The annotation helper: what it proposes for a span."""
