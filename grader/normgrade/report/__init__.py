"""The report: its records, and the texts that are shared by all formats."""
