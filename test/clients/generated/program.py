"""Calls the service with a generated client: ``program.py URL KEY BUNDLE``. Prints a risk, a risk of FHIR, and an error."""

import json
import sys

import openapi_client as risk

url, key, bundle = sys.argv[1:4]


def api(key):
    return risk.ReadmissionApi(risk.ApiClient(risk.Configuration(host=url, access_token=key)))


record = risk.PatientRecordReadmission(
    idx=9007199254740991,
    age=84,
    sex="F",
    inpatientAdmissions=2,
    emergencyAdmissions=1,
    stayDays=7,
    cdr_memory=0.5,
)
(result,) = api(key).readmission_score([record])
print("score", result.idx, result.risk, result.error_message)
with open(bundle, encoding="utf-8") as file:
    answer = api(key).readmission_fhir_score(json.load(file), history="complete")
print("fhir", answer["entry"][0]["resource"]["prediction"][0]["probabilityDecimal"])
try:
    api("prk_wrong").readmission_score([record])
except risk.ApiException as error:
    print("error", error.status, json.loads(error.body)["code"])
