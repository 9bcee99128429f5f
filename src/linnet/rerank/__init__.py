"""Reranking: the candidates of each mention in a better order, by whatever is known of the mention and of them."""

from linnet.rerank.load import open_reranker, rerankers
from linnet.rerank.reranker import Concepts, Reranker

__all__ = ["Concepts", "Reranker", "open_reranker", "rerankers"]
