"""Classes: the hand-ins of many students in folders and archives, their marks in a gradebook, and the processes that grade them."""
