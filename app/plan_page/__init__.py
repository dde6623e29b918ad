"""/plan/: the planner as a first visit finds it."""
