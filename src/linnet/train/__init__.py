"""Training encoders, rerankers and recognisers; the only package that needs torch."""
