"""Client of the Patient Risk Scoring Service. Standard library only; pandas in and out where pandas is installed."""

from ._client import Client, DeploymentChangedError, RiskServiceError
from ._types import (
    ErrorItem,
    Explained,
    Notice,
    Outcome,
    OutcomeResult,
    PatientRecord,
    Problem,
    Result,
    RiskRange,
    ScaleState,
    Validity,
)

__all__ = [
    "Client",
    "DeploymentChangedError",
    "ErrorItem",
    "Explained",
    "Notice",
    "Outcome",
    "OutcomeResult",
    "PatientRecord",
    "Problem",
    "Result",
    "RiskRange",
    "RiskServiceError",
    "ScaleState",
    "Validity",
]
