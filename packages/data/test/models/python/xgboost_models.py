"""XGBoost: boosters, objectives, gaps, categories, and values next to thresholds."""

import json
import os
import tempfile

import numpy as np
import pandas as pd
import xgboost as xgb

from made_data import coded, encounters, folder, made, specification

VERSION = tuple(map(int, xgb.__version__.split(".")[:2]))
# Before 1.6 there are no categories on a processor, and another call stops early.
IS_OLD = VERSION < (1, 6)
NUMBERS = ["age", "sodium", "albumin", "edVisits6Months"]
SMALL = dict(n_estimators=5, max_depth=3, learning_rate=0.4, tree_method="hist")


def saved(model):
    return lambda path: model.save_model(path + ".json")


def classifier(data, event, **parameters):
    return xgb.XGBClassifier(**{**SMALL, **parameters}).fit(data, event)


def simple(name, data, event, spec, rows=None, refused=None, **parameters):
    if IS_OLD and "enable_categorical" in parameters:
        return None
    model = classifier(data, event, **parameters)
    folder(name, saved(model), spec, data if rows is None else rows, model.predict_proba(data)[:, 1], refused)
    return model


data, event = made()
numbers = data[NUMBERS]
plain = specification(NUMBERS)
plain_model = simple("plain", numbers, event, plain)
simple("stated-base", numbers, event, plain, base_score=0.9)
simple("parallel", numbers, event, plain, num_parallel_tree=3, subsample=0.5, n_estimators=4)
simple("yes-no", data[[*NUMBERS, "dementia"]], event, specification([*NUMBERS, "dementia"]))
large = simple("large", numbers, event, plain, n_estimators=300, max_depth=6)

# Values at each threshold and next to it, in 32 and in 64 bits.
def next_to_thresholds(name, model):
    path = os.path.join(tempfile.mkdtemp(), "model.json")
    model.save_model(path)
    document = json.load(open(path))
    near = []
    for tree in document["learner"]["gradient_booster"]["model"]["trees"][:40]:
        for left, feature, threshold in zip(tree["left_children"], tree["split_indices"], tree["split_conditions"]):
            if left >= 0 and feature in (1, 2):
                single = np.float32(threshold)
                around = [np.nextafter(single, np.float32(side)) for side in (-np.inf, np.inf)]
                middles = [(float(single) + float(other)) / 2 for other in around]
                wide = [np.nextafter(float(single), side) for side in (-np.inf, np.inf)]
                beside = [np.nextafter(middle, side) for middle in middles for side in (0, 1e9)]
                near += [(feature, edge) for edge in [float(single), *map(float, around), *middles, *beside, *wide]]
    edges = pd.DataFrame([{"age": 70.0, "sodium": 137.3, "albumin": 3.7, "edVisits6Months": 1.0}] * len(near))
    for column, feature in (("sodium", 1), ("albumin", 2)):
        chosen = [place for place, (own, _) in enumerate(near) if own == feature]
        edges.loc[chosen, column] = [near[place][1] for place in chosen]
    folder(name, saved(model), plain, edges, model.predict_proba(edges)[:, 1])


next_to_thresholds("next-to-thresholds", plain_model)
next_to_thresholds("next-to-many-thresholds", large)

gapped, gapped_event = made(gaps=0.15, seed=2)
absent = specification(NUMBERS, absent=NUMBERS)
simple("gaps", gapped[NUMBERS], gapped_event, absent)
marked = gapped[NUMBERS].fillna(-999)
simple("gaps-marked", marked, gapped_event, absent, rows=gapped[NUMBERS], missing=-999)
as_value = specification(NUMBERS, absent=NUMBERS, features={name: {"absent": -999} for name in NUMBERS})
simple("gaps-as-a-number", marked, gapped_event, as_value, rows=gapped[NUMBERS])
simple("gaps-refused", gapped[NUMBERS], gapped_event, plain, refused="is missing or not permitted")

FIELDS = [*NUMBERS, "sex", "cancer"]
orders = {"sex": {"order": ["F", "M", "X"]}, "cancer": {"order": ["metastatic", "none", "solitary"]}}
named = VERSION >= (3, 1)
categories = coded(data[FIELDS])
for name, limit in (("one-code", 10), ("sets-of-codes", 1)):
    spec = specification(FIELDS) if named else specification(FIELDS, features=orders)
    simple(f"categories-{name}", categories, event, spec, enable_categorical=True, max_cat_to_onehot=limit, max_depth=4)
if not named:
    why = "list the names in `order`"
    simple("categories-refused", categories, event, specification(FIELDS), refused=why, enable_categorical=True, max_depth=4)
unknown = categories.copy()
unknown.loc[::7, "cancer"] = np.nan
spec = specification(FIELDS, absent=["cancer"], features=orders)
simple("categories-with-gaps", unknown, event, spec, enable_categorical=True, max_cat_to_onehot=1, max_depth=4)

dummies = pd.get_dummies(data[FIELDS], columns=["sex", "cancer"], drop_first=True).astype(float)
hot = {f"{field}_{code}": {"field": field, "is": [code]} for field, codes in (("sex", "MX"), ("cancer", ["none", "solitary"])) for code in codes}
simple("dummies", dummies, event, specification(FIELDS, features=hot), rows=data[FIELDS])
sparse = dummies.replace({name: {0.0: np.nan} for name in hot})
nothing = {name: {**feature, "otherwise": None} for name, feature in hot.items()}
simple("sparse-dummies", sparse, event, specification(FIELDS, features=nothing), rows=data[FIELDS])
steps = {"none": 0, "solitary": 1, "metastatic": 2}
ordinal = data[NUMBERS].assign(stage=data.cancer.map(steps).astype(float))
spec = specification([*NUMBERS, "cancer"], features={"stage": {"field": "cancer", "values": steps}})
simple("ordinal-codes", ordinal, event, spec, rows=data[[*NUMBERS, "cancer"]])

dart = simple("dart", numbers, event, plain, booster="dart", rate_drop=0.5, skip_drop=0.0, n_estimators=8)
if VERSION[0] == 3:
    # Later versions write the same weights in two other places.
    def moved(into_model):
        def write(path):
            dart.save_model(path + ".json")
            document = json.load(open(path + ".json"))
            booster = document["learner"]["gradient_booster"]
            model = booster["gbtree"]["model"]
            weights = {"weight_drop": booster["weight_drop"]}
            now = {"name": "gbtree", "model": {**model, **weights}} if into_model else {"name": "gbtree", "model": model, **weights}
            document["learner"]["gradient_booster"] = now
            json.dump(document, open(path + ".json", "w"))
        return write

    for name, into_model in (("3.3", False), ("3.4", True)):
        folder(f"dart-as-{name}-writes-it", moved(into_model), plain, numbers, dart.predict_proba(numbers)[:, 1])

matrix = xgb.DMatrix(numbers, event)


def trained(objective, label=event, **more):
    settings = {"objective": objective, "max_depth": 3, "eta": 0.4, **more}
    return xgb.train(settings, xgb.DMatrix(numbers, label), 8)


regression = trained("reg:logistic")
folder("reg-logistic", saved(regression), plain, numbers, regression.predict(matrix))
raw = trained("binary:logitraw")
folder("logitraw", saved(raw), plain, numbers, 1 / (1 + np.exp(-raw.predict(matrix).astype(float))))
times = np.random.default_rng(5).exponential(1 / (0.2 + event))
cox = trained("survival:cox", np.where(event == 1, times, -times))
baseline = 0.9
risk = 1 - baseline ** cox.predict(matrix).astype(float)
folder("cox", saved(cox), specification(NUMBERS, baseline=baseline), numbers, risk)
folder("cox-without-baseline", saved(cox), plain, numbers, risk, refused="say in import.baseline")

if not IS_OLD:
    half = len(numbers) // 2
    settings = {**SMALL, "n_estimators": 40, "learning_rate": 0.8}
    stopped = xgb.XGBClassifier(**settings, eval_metric="logloss", early_stopping_rounds=4)
    stopped.fit(numbers[:half], event[:half], eval_set=[(numbers[half:], event[half:])], verbose=False)
    used = stopped.best_iteration + 1
    early = stopped.predict_proba(numbers)[:, 1]
    folder("early-stopping", saved(stopped), specification(NUMBERS, trees=used), numbers, early)
    folder("early-stopping-refused", saved(stopped), plain, numbers, early, refused=f'Say "trees": {used} in `import`')

unnamed = classifier(numbers.to_numpy(), event)
features = {f"f{place}": {"field": name} for place, name in enumerate(NUMBERS)}
folder("without-names", saved(unnamed), specification(NUMBERS, features=features), numbers, unnamed.predict_proba(numbers.to_numpy())[:, 1])
folder("without-names-refused", saved(unnamed), plain, numbers, event, refused="say in import.features.f0 which field it is")

several = xgb.XGBClassifier(n_estimators=2, max_depth=2).fit(numbers, np.arange(len(numbers)) % 3)
folder("several-classes", saved(several), plain, numbers, event, refused="learner.learner_model_param.num_class: is 3")
folder("linear", saved(trained("binary:logistic", booster="gblinear")), plain, numbers, event, refused="gblinear is not supported")
folder("poisson", saved(trained("count:poisson")), plain, numbers, event, refused="count:poisson is not supported")
if not IS_OLD:
    folder("binary-form", lambda path: plain_model.save_model(path + ".ubj"), plain, numbers, event, refused="save the model with a name that ends in .json")

found = encounters()
if found is not None and not IS_OLD:
    patients, readmitted = found
    model = classifier(coded(patients, ["sex"]), readmitted, n_estimators=100, max_depth=6, learning_rate=0.1, enable_categorical=True)
    spec = specification(list(patients), features={"sex": {"order": ["F", "M"]}})
    spec["model"]["inputs"]["sex"] = {"values": ["F", "M"]}
    folder("patients", saved(model), spec, patients, model.predict_proba(coded(patients, ["sex"]))[:, 1])
