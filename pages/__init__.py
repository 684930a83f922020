"""One thin script a page: read the scenario, ask, draw. No maths and no SQL."""
