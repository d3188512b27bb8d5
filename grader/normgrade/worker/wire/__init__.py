"""The wire: everything that the grader and a worker exchange, and how both sides read it."""
