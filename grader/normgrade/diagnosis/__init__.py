"""The diagnosis: which known mistakes, together, explain everything that a submission did."""
