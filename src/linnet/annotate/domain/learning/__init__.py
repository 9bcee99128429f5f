"""What a project's model has learnt: the queue of jobs, its versions, and corrections of it."""
