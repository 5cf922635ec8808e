"""PMML: scikit-learn, XGBoost and LightGBM through sklearn2pmml, which needs Java. Risks are those of the original tools."""

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, MinMaxScaler, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn2pmml import sklearn2pmml
from sklearn2pmml.pipeline import PMMLPipeline
from xgboost import XGBClassifier

from made_data import encounters, folder, made, specification

NUMBERS = ["age", "sodium", "albumin", "edVisits6Months"]
FIELDS = [*NUMBERS, "sex", "cancer"]


def columns(numbers="passthrough", codes=None):
    steps = [("numbers", numbers, NUMBERS), ("codes", codes or OneHotEncoder(sparse_output=False), ["sex", "cancer"])]
    return ColumnTransformer(steps, verbose_feature_names_out=False)


def converted(name, steps, data, event, fields=FIELDS, absent=(), rows=None, refused=None):
    pipeline = PMMLPipeline(steps)
    pipeline.fit(data, event)
    tested = data if rows is None else rows
    used = specification(fields, absent=absent, event="1")
    for field in ["sex"] if "sex" in fields else []:
        used["model"]["inputs"][field] = {"values": sorted(data[field].unique())}
    folder(name, lambda path: sklearn2pmml(pipeline, path + ".pmml"), used, tested, pipeline.predict_proba(tested)[:, 1], refused)
    return pipeline


def classifier(name, model, data, event, first=None, **options):
    return converted(name, [("columns", first or columns()), ("model", model)], data, event, **options)


data, event = made()
known = data[FIELDS]
tree = classifier("tree", DecisionTreeClassifier(max_depth=5, random_state=1), known, event)
classifier("forest", RandomForestClassifier(6, max_depth=4, random_state=1), known, event)
classifier("extra-trees", ExtraTreesClassifier(6, max_depth=5, random_state=1), known, event)
classifier("boosting", GradientBoostingClassifier(n_estimators=8, max_depth=3, random_state=1), known, event)
classifier("large-forest", RandomForestClassifier(100, max_depth=10, random_state=1), known, event)
classifier("large-boosting", GradientBoostingClassifier(n_estimators=200, max_depth=4, random_state=1), known, event)
classifier("logistic", LogisticRegression(max_iter=2000), known, event, columns(StandardScaler()))
classifier("logistic-scaled-to-range", LogisticRegression(max_iter=2000), known, event, columns(MinMaxScaler()))
classifier("logistic-squares", LogisticRegression(max_iter=5000), known, event, columns(make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=False))))
bins = KBinsDiscretizer(4, encode="onehot-dense", quantile_method="linear")
classifier("logistic-bins", LogisticRegression(max_iter=2000), known, event, columns(bins), refused="add_eps")
classifier("logistic-logarithm", LogisticRegression(max_iter=5000), known, event, columns(FunctionTransformer(np.log1p)))

# Values at each threshold and next to it, in the 32 bits that the trees compare.
inner = tree.named_steps["model"].tree_
edges = []
for feature, threshold in zip(inner.feature, inner.threshold):
    if feature in (1, 2):
        for value in (np.nextafter(threshold, 0), threshold, np.nextafter(threshold, 1e9), float(np.float32(threshold))):
            edges.append({**known.iloc[len(edges) % len(known)].to_dict(), NUMBERS[feature]: value})
near = known.iloc[:0].from_records(edges)
folder("next-to-thresholds", lambda path: sklearn2pmml(tree, path + ".pmml"), specification(FIELDS, event="1"), near, tree.predict_proba(near)[:, 1])

gapped, gapped_event = made(gaps=0.15, seed=2)
gaps = gapped[NUMBERS]
numbers = ColumnTransformer([("numbers", "passthrough", NUMBERS)])
classifier("gaps-tree", DecisionTreeClassifier(max_depth=4, random_state=1), gaps, gapped_event, numbers, fields=NUMBERS, absent=NUMBERS, refused="gives no result for some records")
classifier("gaps-histogram-boosting", HistGradientBoostingClassifier(max_iter=8, max_leaf_nodes=6), gaps, gapped_event, numbers, fields=NUMBERS, absent=NUMBERS)
filled = ColumnTransformer([("numbers", SimpleImputer(), NUMBERS)])
classifier("gaps-filled-tree", DecisionTreeClassifier(max_depth=4, random_state=1), gaps, gapped_event, filled, fields=NUMBERS, absent=NUMBERS)
classifier("gaps-filled-logistic", LogisticRegression(max_iter=5000), gaps, gapped_event, filled, fields=NUMBERS, absent=NUMBERS, refused="has no number when it is absent")
small = dict(n_estimators=8, max_depth=3, learning_rate=0.4)
classifier("xgboost", XGBClassifier(**small), known, event)
classifier("xgboost-gaps", XGBClassifier(**small), gaps, gapped_event, numbers, fields=NUMBERS, absent=NUMBERS)
classifier("lightgbm", LGBMClassifier(n_estimators=8, num_leaves=7, verbose=-1), known, event)
classifier("lightgbm-gaps", LGBMClassifier(n_estimators=8, num_leaves=7, verbose=-1), gaps, gapped_event, numbers, fields=NUMBERS, absent=NUMBERS)

patients = encounters()
if patients is not None:
    rows, outcome = patients
    names = ["age", "inpatientAdmissions", "emergencyAdmissions", "stayDays"]
    steps = [("columns", ColumnTransformer([("numbers", "passthrough", names), ("codes", OneHotEncoder(sparse_output=False), ["sex"])])), ("model", GradientBoostingClassifier(n_estimators=60, random_state=1))]
    converted("patients-boosting", steps, rows[[*names, "sex"]], outcome, fields=[*names, "sex"])
