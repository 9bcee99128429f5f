"""Learning a version of a project's model from annotations, and predicting with it."""
