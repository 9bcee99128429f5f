"""The REST service: link, annotate and search over HTTP, from terminologies that may be rebuilt while they are served."""
