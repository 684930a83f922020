"""What the calculations raise."""


class ScenarioError(Exception):
    """Say which input is wrong and what would be right.

    `field` is the dotted name of the model's documentation, e.g. `benchmarks.baseline[0].utilisation`.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message

    def __str__(self) -> str:
        return self.message


class InputsAtOddsError(ScenarioError):
    """Say that inputs, each right by itself, contradict one another."""
