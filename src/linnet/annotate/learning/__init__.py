"""From annotations to the next version of a project's model, and from the model to predictions."""
