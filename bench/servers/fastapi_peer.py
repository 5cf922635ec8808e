"""The same job as a team would write it: FastAPI and a pydantic 2 model of the fields, with the same formula as the Rust peer."""
import json
import math
import sys
from typing import List, Literal, Optional

import fastapi
import pydantic
import uvicorn
from pydantic import Field, StrictBool, StrictInt
from typing_extensions import Annotated

fields = json.load(open(sys.argv[1]))
port = int(sys.argv[2])


def kind(field):
    domain = field["domain"]
    if domain["kind"] == "integer":
        return Annotated[int, Field(strict=True, ge=domain["from"], le=domain["to"])]
    if domain["kind"] == "decimal":
        return Annotated[float, Field(ge=domain["from"], le=domain["to"])]
    if domain["kind"] == "list":
        return Annotated[float, Field(ge=min(domain["values"]), le=max(domain["values"]))]
    if domain["kind"] == "code":
        return Literal[tuple(domain["codes"])]
    return StrictBool if domain["kind"] == "yesNo" else str


REQUIRED = ["age", "sex", "inpatientAdmissions", "emergencyAdmissions", "stayDays"]
members = {"idx": (StrictInt, ...)}
for each in fields:
    members[each["name"]] = (kind(each), ...) if each["name"] in REQUIRED else (Optional[kind(each)], None)
Record = pydantic.create_model("Record", **members)


def risk(r):
    age = r.age - 75
    score = (
        -2.5
        + 0.02 * age
        + 0.0001 * age * age
        + 0.1 * (r.sex == "M")
        + 0.4 * math.log1p(r.inpatientAdmissions)
        + 0.3 * math.log1p(r.emergencyAdmissions)
        + 0.2 * math.log1p(r.stayDays)
    )
    return round(1 / (1 + math.exp(-score)), 4)


app = fastapi.FastAPI()


@app.post("/risk/api/do/v0")
def score(records: List[Record]):
    return [{"idx": r.idx, "risk": risk(r), "error_message": None} for r in records]


print(
    f"versions FastAPI {fastapi.__version__}, pydantic {pydantic.VERSION}, "
    f"uvicorn {uvicorn.__version__}, Python {sys.version.split()[0]}",
    flush=True,
)
uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)
