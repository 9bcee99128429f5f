"""Compares strategies: an annotated corpus plays the expert, and the model learns as in a project.

    studies     annotated corpora and their terminologies
    plan        how much is annotated at a time, and which learners learn from it
    teacher     one step: learn, measure, predict
    runner      all steps of all strategies and seeds, each saved when done
    curves      areas under learning curves, and the annotation a score needs
    report      tables and plots

Source: simulated active learning, as in Settles 2012, chapter 6; the loop is TrainX's (Oberhauser et al. 2020).
"""
