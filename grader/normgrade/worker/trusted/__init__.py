"""The side of the grader: this code starts workers, asks them, and checks their answers."""
