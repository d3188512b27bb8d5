"""Workers: the processes in which submissions run, and the walls around them."""
