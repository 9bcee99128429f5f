"""The annotation helper: what it proposes for a span, and the hierarchy it can be browsed by."""
