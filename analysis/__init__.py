"""Pure calculations: the decision model, coverage, evidence and figures. Nothing here knows the store or the screen."""
