"""The same scores as a team would write them in Python: FastAPI, a pydantic 2 model of the fields and one of the answer."""
import json
import math
import sys
from typing import Annotated, Literal, Optional

import fastapi
import httptools
import pydantic
import uvicorn
import uvloop
from pydantic import Field, StrictBool, StrictInt

fields = json.load(open(sys.argv[1]))
port = int(sys.argv[2])


def kind(domain):
    if domain["kind"] == "integer":
        return Annotated[int, Field(strict=True, ge=domain["from"], le=domain["to"])]
    if domain["kind"] == "decimal":
        return Annotated[float, Field(strict=True, ge=domain["from"], le=domain["to"])]
    if domain["kind"] == "list":
        return number_of(domain["values"])
    if domain["kind"] == "code":
        return Literal[tuple(domain["codes"])]
    if domain["kind"] == "date":
        return Annotated[str, Field(pattern=r"^\d{2}-\d{2}-\d{4}$")]
    return StrictBool


def number_of(values):
    """One of the permitted numbers. A Literal may not hold fractions; where a value is one, the lists go up in halves."""
    if all(isinstance(value, int) for value in values):
        return Literal[tuple(values)]
    return Annotated[float, Field(strict=True, ge=values[0], le=values[-1], multiple_of=0.5)]


REQUIRED = ["age", "sex", "inpatientAdmissions", "emergencyAdmissions", "stayDays"]
members = {"idx": (StrictInt, ...)}
for each in fields:
    type_ = kind(each["domain"])
    members[each["name"]] = (type_, ...) if each["name"] in REQUIRED else (Optional[type_], None)
Record = pydantic.create_model("Record", **members)


class Answer(pydantic.BaseModel):
    idx: int
    risk: float
    error_message: None = None


SEX = {"F": 0, "M": 0.023605, "X": 0.0118025}


def risk(record):
    """The model readmission30."""
    decades = record.age / 10
    score = (
        -0.104587 * decades
        + 0.011698 * (decades * decades)
        + SEX[record.sex]
        + 0.741003 * math.log(1 + record.inpatientAdmissions)
        + 0.227101 * math.log(1 + record.emergencyAdmissions)
        + 0.210156 * math.log(1 + record.stayDays)
    )
    probability = 1 / (1 + math.exp(-(-2.567027 + score)))
    return min(9_999, max(1, math.floor(probability * 10_000 + 0.5))) / 10_000


app = fastapi.FastAPI()


@app.post("/risk/api/do/v0")
async def score(records: list[Record]) -> list[Answer]:
    return [Answer(idx=record.idx, risk=risk(record)) for record in records]


print(
    f"versions FastAPI {fastapi.__version__}, pydantic {pydantic.VERSION}, uvicorn {uvicorn.__version__} "
    f"(uvloop {uvloop.__version__}, httptools {httptools.__version__}), Python {sys.version.split()[0]}",
    flush=True,
)
uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)
