"""How linnet does on corpora, terminologies and strings that its models have not seen."""
