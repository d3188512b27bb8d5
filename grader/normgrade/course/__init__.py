"""A course: its exercises, what is banned, and the files where it all stands."""
