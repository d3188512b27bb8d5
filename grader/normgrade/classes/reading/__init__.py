"""Reading: from folders and archives to the hand-ins of a class."""
