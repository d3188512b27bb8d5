"""The author's tools: new exercises, and the answers that a suite should reject."""
