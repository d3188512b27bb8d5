"""The author's tools: the draft of a new exercise, and the proofs of a course: right answers pass, mistakes fail and are named."""
