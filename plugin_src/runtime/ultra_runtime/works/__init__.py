"""Works: requirement, plan and tasks in works/WORK-NN, executed as a run whose steps are the tasks."""
