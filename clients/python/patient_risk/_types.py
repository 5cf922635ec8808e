"""The shapes of records and answers, as the OpenAPI document of the service states them."""

from typing import Any, List, Mapping, Optional, TypedDict, Union

PatientRecord = Mapping[str, Any]
"""A record: its ``idx`` and the fields of the deployment. ``None`` and absent are the same."""


class ErrorItem(TypedDict):
    Field: str
    FieldDate: str
    ExtendError: str


class Result(TypedDict):
    idx: Optional[int]
    risk: Union[float, str, None]
    error_message: Optional[List[ErrorItem]]


class Validity(TypedDict):
    idx: Optional[int]
    valid: bool
    error_message: Optional[List[ErrorItem]]


class ScaleState(TypedDict):
    scale: str
    total: Optional[float]
    complete: bool
    given: int
    needed: int
    band: Optional[str]
    scheme: Optional[str]
    verified: bool


class Notice(TypedDict):
    code: str
    field: str
    text: str


class RiskRange(TypedDict):
    inputs: List[str]
    possible: List[float]
    usual: Optional[List[float]]
    decided: Optional[str]


class Explained(Result):
    explanation: Optional[Mapping[str, Any]]
    scales: List[ScaleState]
    notices: List[Notice]
    range: Optional[RiskRange]


class _Outcome(TypedDict):
    idx: int
    risk: Union[float, str]
    outcome: bool
    digest: str
    scored: str


class Outcome(_Outcome, total=False):
    group: Optional[str]


class OutcomeResult(TypedDict):
    idx: Optional[int]
    counted: bool
    error_message: Optional[List[ErrorItem]]


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
