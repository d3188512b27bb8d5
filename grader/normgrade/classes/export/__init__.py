"""Export: the files with which other systems grade exercises."""
