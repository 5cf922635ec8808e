"""Client of the Patient Risk Scoring Service. Standard library only; pandas in and out where pandas is installed."""

from ._client import Client, RiskServiceError
from ._types import ErrorItem, Explained, PatientRecord, Problem, Result, Validity

__all__ = [
    "Client",
    "ErrorItem",
    "Explained",
    "PatientRecord",
    "Problem",
    "Result",
    "RiskServiceError",
    "Validity",
]
