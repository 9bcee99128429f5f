"""Reranking: reorder the candidates of each mention by features of the mention and its candidates."""

from linnet.rerank.load import open_reranker, rerankers
from linnet.rerank.reranker import Concepts, Reranker

__all__ = ["Concepts", "Reranker", "open_reranker", "rerankers"]
