"""Active learning: which document to annotate next, and what a model learns from those annotated.

    strategies/  which document comes next
    model        a linker with what it has learnt, which predicts on documents
    learners/    from annotated documents to the next version of a model
    metrics      scores of a version
    simulation/  strategies compared on annotated corpora

Knows nothing of projects, users and requests: `linnet.annotate` calls it. Importing this package alone loads none of it.
"""
