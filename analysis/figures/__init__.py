"""Figures: a result in, a Plotly figure with its takeaway out. No calculation of the model happens here."""
