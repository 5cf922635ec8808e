"""Client of the Patient Risk Scoring Service. Standard library only; pandas in and out where pandas is installed."""

from ._client import Client, DeploymentChangedError, JobFailedError, RiskServiceError, job_bar
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
    "JobFailedError",
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
    "job_bar",
]
