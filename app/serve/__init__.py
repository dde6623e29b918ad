"""The site behind Panel's server, and who may talk to it."""
