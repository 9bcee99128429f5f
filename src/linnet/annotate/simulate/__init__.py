"""What a strategy is worth: an annotated corpus plays the expert, and the model learns as it does in a project.

    studies   corpora that are read for this, and the terminologies they are linked against
    plan      how much is annotated at a time, and what learns from it
    teaching  one step: learn, measure, predict
    running   all steps of all strategies and seeds, each kept as it is done
    curves    areas under learning curves, and how much annotation a score takes
    report    tables and pictures of that

Source: simulated active learning, as in Settles 2012, chapter 6; the loop is TrainX's (Oberhauser et al. 2020).
"""
