"""`normgrade watch`: it grades each time a file is saved."""
