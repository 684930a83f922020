"""How one input of the model is declared: default, unit, plausible range, bounds, where the default comes from."""

from typing import Annotated, Any

from annotated_types import Ge, Gt, Le, Lt
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

ASSUMED = "our estimate; edit it"


def number(
    default: Any,
    unit: str,
    label: str,
    *,
    low: float | None = None,
    high: float | None = None,
    source: str = ASSUMED,
    **bounds: Any,
) -> Any:
    """Declare an input: its default and unit, low and high as plausible values, and hard bounds (ge, gt, le, lt)."""
    about: dict[str, Any] = {"unit": unit, "label": label, "low": low, "high": high, "source": source}
    return Field(default, json_schema_extra=about, **bounds)


def share(default: Any, label: str, **more: Any) -> Any:
    """Declare an input that is a share between 0 and 1."""
    return number(default, "share", label, ge=0, le=1, **more)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _countable(value: int) -> int:
    if value > MOST:
        raise PydanticCustomError("too_many", "more than can be meant")
    return value


MOST = 1_000_000  # of anything that is counted here: more is a slip of the keys
Count = Annotated[int, BeforeValidator(_whole), AfterValidator(_countable)]
Positive = Annotated[float, Gt(0)]
NonNegative = Annotated[float, Ge(0)]


def refusal(field: str, message: str) -> PydanticCustomError:
    """Make the error with which a check over several inputs refuses one of them."""
    return PydanticCustomError("at_odds", "{message}", {"field": field, "message": message})


def one_of(known: tuple[str, ...]) -> AfterValidator:
    """Make the check that a text is one of those known."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise PydanticCustomError("not_known", "must be one of {known}", {"known": ", ".join(known)})
        return value

    return AfterValidator(check)


class Section(BaseModel):
    """Hold the inputs of one section. Null means «not stated» and takes the default; what is unknown is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _drop_unstated(cls, values: Any) -> Any:
        return {k: v for k, v in values.items() if v is not None} if isinstance(values, dict) else values


def bounds_text(field: FieldInfo) -> str:
    """Say the bounds of an input as a person would: `in (0,1]`, `at least 0`, `greater than 0`."""
    low = high = None
    for bound in field.metadata:
        if isinstance(bound, Ge | Gt):
            low = (bound.ge, "[") if isinstance(bound, Ge) else (bound.gt, "(")
        elif isinstance(bound, Le | Lt):
            high = (bound.le, "]") if isinstance(bound, Le) else (bound.lt, ")")
    if low and high:
        return f"in {low[1]}{low[0]},{high[0]}{high[1]}"
    if low:
        return f"{'at least' if low[1] == '[' else 'greater than'} {low[0]}"
    if high:
        return f"{'at most' if high[1] == ']' else 'less than'} {high[0]}"
    return ""
