"""The same job as a team would write it: FastAPI, a pydantic model of the fields, scikit-learn for the number."""
import json
import math
import sys
from typing import List, Literal, Optional

import fastapi
import numpy
import pydantic
import sklearn
import uvicorn
from sklearn.linear_model import LogisticRegression

fields = json.load(open(sys.argv[1]))
port = int(sys.argv[2])


def kind(field):
    domain = field["domain"]
    if domain["kind"] == "integer":
        return pydantic.conint(strict=True, ge=domain["from"], le=domain["to"])
    if domain["kind"] == "decimal":
        return pydantic.confloat(ge=domain["from"], le=domain["to"])
    if domain["kind"] == "list":
        return pydantic.confloat(ge=min(domain["values"]), le=max(domain["values"]))
    if domain["kind"] == "code":
        return Literal[tuple(domain["codes"])]
    if domain["kind"] == "yesNo":
        return pydantic.StrictBool
    return str


REQUIRED = ["age", "sex", "inpatientAdmissions", "emergencyAdmissions", "stayDays"]
members = {"idx": (pydantic.StrictInt, ...)}
for each in fields:
    members[each["name"]] = (kind(each), ...) if each["name"] in REQUIRED else (Optional[kind(each)], None)
Record = pydantic.create_model("Record", **members)

model = LogisticRegression()
model.classes_ = numpy.array([0, 1])
model.coef_ = numpy.array([[0.02, 0.0001, 0.1, 0.4, 0.3, 0.2]])
model.intercept_ = numpy.array([-2.5])

app = fastapi.FastAPI()


@app.post("/risk/api/do/v0")
def score(records: List[Record]):
    rows = [
        [
            r.age - 75,
            (r.age - 75) ** 2,
            1.0 if r.sex == "M" else 0.0,
            math.log(1 + r.inpatientAdmissions),
            math.log(1 + r.emergencyAdmissions),
            math.log(1 + r.stayDays),
        ]
        for r in records
    ]
    risks = model.predict_proba(numpy.array(rows))[:, 1] if rows else []
    return [
        {"idx": r.idx, "risk": round(float(risk), 4), "error_message": None}
        for r, risk in zip(records, risks)
    ]


@app.on_event("startup")
def say():
    print(f"listening {port}", flush=True)
    print(
        f"versions fastapi {fastapi.__version__}, pydantic {pydantic.VERSION}, "
        f"uvicorn {uvicorn.__version__}, scikit-learn {sklearn.__version__}, "
        f"Python {sys.version.split()[0]}",
        flush=True,
    )


uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)
