"""Classes: the hand-ins of many students, their marks in a gradebook, and the processes that grade them."""
