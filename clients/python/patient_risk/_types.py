"""The shapes of records and answers, as the OpenAPI document of the service states them."""

from typing import Any, List, Mapping, Optional, TypedDict, Union

PatientRecord = Mapping[str, Any]
"""A record: its ``idx`` and the fields of the deployment. ``None`` and absent are the same."""


class ErrorItem(TypedDict):
    Field: str
    FieldDate: str
    ExtendError: str


class _Result(TypedDict):
    idx: Optional[int]
    risk: Union[float, str, None]
    error_message: Optional[List[ErrorItem]]


class Result(_Result, total=False):
    receipt: str


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
    outcome: Union[bool, str]


class Outcome(_Outcome, total=False):
    """Either ``receipt``, or ``risk``, ``digest`` and ``scored`` of the answer."""

    receipt: Optional[str]
    risk: Union[float, str]
    digest: str
    scored: str
    was: Union[bool, str, None]
    group: Optional[str]
    shadowRisk: Optional[float]


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
