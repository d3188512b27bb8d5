"""Remarks: what a person who knows the exercise says of a result, without playing anything."""
