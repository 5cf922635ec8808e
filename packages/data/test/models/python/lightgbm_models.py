"""LightGBM: boosters, missing types, categories, and what must be refused."""

import lightgbm as lgb
import numpy as np
import pandas as pd

from made_data import coded, encounters, folder, made, specification

NUMBERS = ["age", "sodium", "albumin", "edVisits6Months"]
SMALL = dict(objective="binary", num_leaves=7, learning_rate=0.4, min_data_in_leaf=20, verbose=-1, seed=1, num_threads=2)
MAJOR, MINOR = (int(part) for part in lgb.__version__.split(".")[:2])


def saved(model):
    return lambda path: model.save_model(path + ".txt")


def trained(data, event, rounds=8, categories="auto", **parameters):
    return lgb.train({**SMALL, **parameters}, lgb.Dataset(data, event, categorical_feature=categories), rounds)


def simple(name, data, event, spec, rows=None, refused=None, **parameters):
    model = trained(data, event, **parameters)
    risk = model.predict(data)
    folder(name, saved(model), spec, data if rows is None else rows, risk if risk.ndim == 1 else event, refused)
    return model


data, event = made()
numbers = data[NUMBERS]
plain = specification(NUMBERS)
large = simple("large", numbers, event, plain, rounds=300, num_leaves=31)
simple("plain", numbers, event, plain)
simple("yes-no", data[[*NUMBERS, "dementia"]], event, specification([*NUMBERS, "dementia"]))
simple("sigmoid", numbers, event, plain, sigmoid=2.5)
# LightGBM 2.1 takes no forest without a share of the features.
share = dict(feature_fraction=0.9) if (MAJOR, MINOR) < (2, 2) else {}
simple("forest", numbers, event, plain, boosting="rf", bagging_fraction=0.6, bagging_freq=1, **share)
simple("dart", numbers, event, plain, boosting="dart", drop_rate=0.5, skip_drop=0.0, rounds=12)
simple("cross-entropy", numbers, event, plain, objective="cross_entropy")

# Values at each threshold and next to it.
near = []
for tree in large.dump_model()["tree_info"][:60]:
    open_nodes = [tree["tree_structure"]]
    while open_nodes:
        node = open_nodes.pop()
        if "threshold" in node:
            open_nodes += [node["left_child"], node["right_child"]]
            if node["split_feature"] in (1, 2):
                edge = float(node["threshold"])
                near += [(node["split_feature"], value) for value in (np.nextafter(edge, 0), edge, np.nextafter(edge, 1e9))]
edges = pd.DataFrame([{"age": 70.0, "sodium": 137.3, "albumin": 3.7, "edVisits6Months": 1.0}] * len(near))
for column, feature in (("sodium", 1), ("albumin", 2)):
    chosen = [place for place, (own, _) in enumerate(near) if own == feature]
    edges.loc[chosen, column] = [near[place][1] for place in chosen]
folder("next-to-thresholds", saved(large), plain, edges, large.predict(edges))

gapped, gapped_event = made(gaps=0.15, seed=2)
gaps = gapped[NUMBERS]
absent = specification(NUMBERS, absent=NUMBERS)
simple("gaps", gaps, gapped_event, absent)
simple("gaps-as-zero", gaps, gapped_event, absent, use_missing=False)
simple("zero-is-missing", gaps, gapped_event, absent, zero_as_missing=True, rounds=30)
# Training without gaps: an absent value counts as 0 then.
without = trained(numbers, event)
folder("gaps-not-seen", saved(without), absent, gaps, without.predict(gaps))
simple("gaps-refused", gaps, gapped_event, plain, refused="is missing or not permitted")

FIELDS = [*NUMBERS, "sex", "cancer"]
categories = coded(data[FIELDS])
sets = dict(max_cat_to_onehot=1, min_data_per_group=5, cat_smooth=1, num_leaves=15)
simple("categories", categories, event, specification(FIELDS), **sets)
simple("categories-one-code", categories, event, specification(FIELDS), num_leaves=15)
unknown = categories.copy()
unknown.loc[::7, "cancer"] = np.nan
simple("categories-with-gaps", unknown, event, specification(FIELDS, absent=["cancer"]), **sets)
codes = {"sex": {"F": 0, "M": 1, "X": 2}, "cancer": {"none": 3, "solitary": 40, "metastatic": 7}}
numbered = data[FIELDS].replace(codes).infer_objects()
values = specification(FIELDS, features={name: {"values": own} for name, own in codes.items()})
simple("numbered-codes", numbered, event, values, rows=data[FIELDS], categories=["sex", "cancer"], **sets)
why = "list the names in `order`"
simple("numbered-codes-refused", numbered, event, specification(FIELDS), rows=data[FIELDS], refused=why, categories=["sex", "cancer"], **sets)
counted = specification(NUMBERS)
simple("counts-as-codes", numbers.astype({"edVisits6Months": int}), event, counted, categories=["edVisits6Months"], **sets)

half = len(numbers) // 2
settings = {**SMALL, "learning_rate": 0.8, "metric": "binary_logloss"}
training, check = lgb.Dataset(numbers[:half], event[:half]), lgb.Dataset(numbers[half:], event[half:])
stopping = dict(callbacks=[lgb.early_stopping(4, verbose=False)]) if MAJOR >= 4 else dict(early_stopping_rounds=4, verbose_eval=False)
stopped = lgb.train(settings, training, 60, valid_sets=[check], **stopping)
folder("early-stopping", saved(stopped), plain, numbers, stopped.predict(numbers))

thirds = np.arange(len(numbers)) % 3
simple("several-classes", numbers, thirds, plain, refused="num_class: is 3", objective="multiclass", num_class=3)
simple("regression", numbers, event, plain, refused="objective: regression is not supported", objective="regression")
if MAJOR >= 4:
    simple("linear-leaves", numbers, event, plain, refused="is_linear: leaves with formulas", linear_tree=True)

found = encounters()
if found is not None:
    patients, readmitted = found
    spec = specification(list(patients))
    spec["model"]["inputs"]["sex"] = {"values": ["F", "M"]}
    simple("patients", coded(patients, ["sex"]), readmitted, spec, rounds=100, num_leaves=31, learning_rate=0.1)
