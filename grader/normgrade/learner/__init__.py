"""The learner's own folder: drafts, attempts, hints, progress, interviews."""
