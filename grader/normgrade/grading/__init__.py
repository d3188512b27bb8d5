"""The grading: it plays a hidden suite on a submission, and puts the report together."""
