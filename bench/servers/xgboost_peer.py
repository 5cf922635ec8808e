"""A model of XGBoost as a team would serve it: FastAPI, a pydantic 2 model of the fields and one of the answer, and xgboost itself.

`xgboost_peer.py train FOLDER` makes the model: 100 trees of depth 6 over 10 fields. `xgboost_peer.py FOLDER PORT` serves it.
"""
import csv
import sys
from typing import Annotated

import numpy as np
import xgboost

FIELDS = [f"reading{number}" for number in range(10)]
TREES, DEPTH, TRAINED_ON, PROVED_BY = 100, 6, 20_000, 500


def train(folder):
    random = np.random.default_rng(1)
    values = random.integers(0, 1_000, (TRAINED_ON, len(FIELDS))) / 10
    odds = np.sin(values / 15).sum(axis=1) + values[:, 0] * values[:, 1] / 2_500 - 2
    event = random.random(TRAINED_ON) < 1 / (1 + np.exp(-odds))
    rows = xgboost.DMatrix(values, label=event, feature_names=FIELDS)
    parameters = {"objective": "binary:logistic", "max_depth": DEPTH, "learning_rate": 0.1, "seed": 1}
    booster = xgboost.train(parameters, rows, num_boost_round=TREES)
    booster.save_model(f"{folder}/model.json")
    risks = booster.predict(rows)[:PROVED_BY]
    with open(f"{folder}/rows.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*FIELDS, "risk"])
        writer.writerows([*record, repr(float(risk))] for record, risk in zip(values[:PROVED_BY].tolist(), risks))


def serve(folder, port):
    import fastapi
    import pydantic
    import uvicorn
    from pydantic import Field, StrictInt

    booster = xgboost.Booster(model_file=f"{folder}/model.json")
    # One process is compared with one process, and threads cost more than they gain for so few rows.
    booster.set_param({"nthread": 1})
    reading = Annotated[float, Field(strict=True, ge=0, le=100)]
    Record = pydantic.create_model("Record", idx=(StrictInt, ...), **{name: (reading, ...) for name in FIELDS})

    class Answer(pydantic.BaseModel):
        idx: int
        risk: float
        error_message: None = None

    app = fastapi.FastAPI()

    @app.post("/risk/api/do/v0")
    async def score(records: list[Record]) -> list[Answer]:
        values = np.array([[getattr(record, name) for name in FIELDS] for record in records])
        risks = booster.inplace_predict(values).tolist()
        return [Answer(idx=record.idx, risk=round(risk, 4)) for record, risk in zip(records, risks)]

    print(
        f"versions FastAPI {fastapi.__version__}, pydantic {pydantic.VERSION}, uvicorn {uvicorn.__version__}, "
        f"xgboost {xgboost.__version__}, Python {sys.version.split()[0]}",
        flush=True,
    )
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="error", access_log=False)


if sys.argv[1] == "train":
    train(sys.argv[2])
else:
    serve(sys.argv[1], sys.argv[2])
