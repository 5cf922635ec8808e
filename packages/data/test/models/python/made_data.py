"""Made data over fields of the catalogue, and folders for packages/data/test/models/run.ts: a model file, a specification and rows."""

import json
import os
import sys

import numpy as np
import pandas as pd

OUT, TAG, PATIENTS = (sys.argv + ["", "", ""])[1:4]

CARD = {
    "summary": "Made from invented data, for tests.",
    "intendedUse": "None.",
    "users": "None.",
    "population": "None.",
    "setting": "None.",
    "outcome": "An invented event.",
    "horizonDays": 30,
    "missingData": "As the inputs say.",
    "limits": ["It means nothing."],
}
WHY = "The model was trained with gaps."


def made(rows=1500, seed=1, gaps=0.0):
    """Numbers with one decimal, counts, yes/no and codes; `gaps` is the share of values that are missing."""
    r = np.random.default_rng(seed)
    data = pd.DataFrame(
        {
            "age": r.integers(18, 100, rows).astype(float),
            "sodium": np.round(r.normal(138, 5, rows), 1),
            "albumin": np.round(np.clip(r.normal(3.8, 0.6, rows), 1, 7), 1),
            "edVisits6Months": r.poisson(0.8, rows).astype(float),
            "dementia": (r.random(rows) < 0.2).astype(int),
            "sex": r.choice(["F", "M", "X"], rows, p=[0.5, 0.45, 0.05]),
            "cancer": r.choice(["none", "solitary", "metastatic"], rows, p=[0.7, 0.2, 0.1]),
        }
    )
    odds = (data.age - 65) / 15 - (data.sodium - 138) / 6 - (data.albumin - 3.8) + 0.5 * data.edVisits6Months
    odds += data.dementia * 0.8 + (data.sex == "M") * 0.4 + data.cancer.map({"none": 0, "solitary": 0.5, "metastatic": 1.5})
    event = (r.random(rows) < 1 / (1 + np.exp(1.2 - odds))).astype(int)
    for name in ["age", "sodium", "albumin", "edVisits6Months"]:
        data.loc[r.random(rows) < gaps, name] = np.nan
    return data, event.to_numpy()


def coded(data, names=("sex", "cancer")):
    """Texts as categories, in the order of the alphabet."""
    return data.assign(**{name: pd.Categorical(data[name]) for name in names})


def specification(fields, absent=(), **part):
    inputs = {field: ({"whenAbsent": None, "why": WHY} if field in absent else {}) for field in fields}
    return {
        "data": {"outcome": {"column": None}, "columns": {"dementia": {"column": "dementia", "map": {"1": True, "0": False}}} if "dementia" in fields else {}},
        "model": {
            "id": "imported",
            "version": "1.0.0",
            "title": "An imported model",
            "card": CARD,
            "inputs": inputs,
            "source": {"cite": "Made for tests."},
            "licence": {"status": "Our own.", "shipped": "All of it."},
        },
        **({"import": part} if part else {}),
    }


def folder(name, write, spec, rows, risk, refused=None):
    """`write` saves the model to a path without its ending; `refused` is part of the message of an import that must fail."""
    path = os.path.join(OUT, f"{TAG}-{name}")
    os.makedirs(path, exist_ok=True)
    write(os.path.join(path, "model"))
    with open(os.path.join(path, "specification.json"), "w") as file:
        json.dump(spec, file, indent=2)
    rows.assign(risk=np.asarray(risk, dtype=float)).to_csv(os.path.join(path, "rows.csv"), index=False)
    if refused is not None:
        with open(os.path.join(path, "refused.txt"), "w") as file:
            file.write(refused)


def encounters():
    """The public encounters, with the columns that the specification below reads; None where they are not here."""
    path = os.path.join(PATIENTS, "diabetes130-development.csv.gz")
    if PATIENTS == "" or not os.path.exists(path):
        return None
    data = pd.read_csv(path)
    data = data[data.gender.isin(["Female", "Male"]) & ~data.discharge_disposition_id.isin([11, 13, 14, 19, 20, 21])]
    rows = pd.DataFrame(
        {
            "age": data.age.str.extract(r"\[(\d+)-")[0].astype(int) + 5,
            "sex": data.gender.str[0],
            "inpatientAdmissions": data.number_inpatient,
            "emergencyAdmissions": data.number_emergency,
            "stayDays": data.time_in_hospital,
        }
    )
    return rows.reset_index(drop=True), (data.readmitted == "<30").astype(int).to_numpy()
