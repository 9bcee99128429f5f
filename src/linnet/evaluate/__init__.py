"""Evaluation: pure metrics on plain values, protocols that combine them, significance, leak audit, reports."""

from linnet.evaluate.augmentation import augmentation_pairs
from linnet.evaluate.augmented_linker import augmented_linker
from linnet.evaluate.gold import Gold, Predicted, gold_mentions, golds_of, predicted_of
from linnet.evaluate.predictions import Answers, read_predictions
from linnet.evaluate.protocols import Result, parse_protocol, protocols
from linnet.evaluate.report import Report, write_report
from linnet.evaluate.run import evaluate, evaluate_system
from linnet.evaluate.score import Score
from linnet.evaluate.summary import render_summary
from linnet.evaluate.system import System, ask

__all__ = [
    "Answers",
    "Gold",
    "Predicted",
    "Report",
    "Result",
    "Score",
    "System",
    "ask",
    "augmentation_pairs",
    "augmented_linker",
    "evaluate",
    "evaluate_system",
    "gold_mentions",
    "golds_of",
    "parse_protocol",
    "predicted_of",
    "protocols",
    "read_predictions",
    "render_summary",
    "write_report",
]
