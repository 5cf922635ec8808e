"""Tables of coefficients: a logistic regression of statsmodels and a Cox regression of lifelines."""

import json
import os

import numpy as np
import statsmodels.formula.api as smf
from lifelines import CoxPHFitter

from made_data import OUT, TAG, folder, made, specification

data, event = made()
TERMS = [
    {"kind": "linear", "field": "age", "per": 10},
    {"kind": "linear", "field": "sodium"},
    {"kind": "logarithm", "field": "edVisits6Months", "plus": 1},
    {"kind": "category", "field": "sex", "reference": "F"},
]
FIELDS = [term["field"] for term in TERMS]


def with_terms(terms, **part):
    spec = specification([term["field"] for term in terms], **part)
    spec["model"]["terms"] = terms
    return spec


rows = data[FIELDS]
fit = smf.logit("event ~ I(age / 10) + sodium + np.log1p(edVisits6Months) + sex", data.assign(event=event)).fit(disp=0)
table = fit.params.rename(index={"I(age / 10)": "age", "np.log1p(edVisits6Months)": "edVisits6Months"})
table = table.rename_axis("term").rename("estimate")
folder("logit", lambda path: table.to_csv(path + ".csv"), with_terms(TERMS), rows, fit.predict(rows))
lost = table.drop("sex[T.X]")
folder("logit-without-a-code", lambda path: lost.to_csv(path + ".csv"), with_terms(TERMS), rows, fit.predict(rows), refused='"unseen": { "X"')

times = np.random.default_rng(5).exponential(30 / (0.2 + event))
columns = rows.drop(columns="sex").assign(male=(rows.sex == "M").astype(float), time=np.minimum(times, 60), event=(times < 60) * 1)
cox = CoxPHFitter().fit(columns, "time", "event")
horizon = 30
baseline = float(cox.predict_survival_function(columns.iloc[:1].assign(**cox._norm_mean), times=[horizon]).iloc[0, 0])
hazards = cox.params_.rename(index={"male": "sexM"}).rename_axis("term").rename("estimate").to_frame()
hazards["mean"] = cox._norm_mean.to_numpy()
hazards["scale"] = 1.0
plain = [{"kind": "linear", "field": name} for name in ["age", "sodium", "edVisits6Months"]]
terms = [*plain, {"kind": "category", "field": "sex", "reference": "F", "unseen": {"X": {"of": "M", "times": 0}}}]
risk = 1 - cox.predict_survival_function(columns, times=[horizon]).to_numpy()[0]
folder("cox", lambda path: hazards.to_csv(path + ".csv"), with_terms(terms, baseline=baseline), rows, risk)
with open(os.path.join(OUT, f"{TAG}-cox", "options.json"), "w") as file:
    json.dump(["--scaled"], file)
