"""Results in words: numbers as a person says them, the verdict, the evidence. No calculation of the model."""
