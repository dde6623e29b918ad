"""/glossary/: every mechanism in a sentence."""
