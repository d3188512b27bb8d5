"""The numbers of each prompt, computed from its reference: one module for each exercise."""
