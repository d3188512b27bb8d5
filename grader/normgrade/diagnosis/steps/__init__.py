"""The steps on the way to a result: the first one at which a submission goes wrong."""
