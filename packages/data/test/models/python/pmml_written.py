"""PMML written by hand, one document for each thing that the reader takes. Risks are those of JPMML-Evaluator, which needs Java."""

import os
import tempfile

import numpy as np
import pandas as pd
from jpmml_evaluator import make_evaluator

from made_data import folder, made, specification

FIELDS = {
    "age": '<DataField name="age" optype="continuous" dataType="integer"/>',
    "sodium": '<DataField name="sodium" optype="continuous" dataType="double"/>',
    "albumin": '<DataField name="albumin" optype="continuous" dataType="float"/>',
    "sex": '<DataField name="sex" optype="categorical" dataType="string"/>',
    "cancer": '<DataField name="cancer" optype="categorical" dataType="string"><Value value="none"/><Value value="solitary"/><Value value="metastatic"/></DataField>',
    "edVisits6Months": '<DataField name="edVisits6Months" optype="categorical" dataType="integer"/>',
    "days": '<DataField name="days" optype="continuous" dataType="double"/>',
}
CLASSES = '<DataField name="event" optype="categorical" dataType="string"><Value value="yes"/><Value value="no"/></DataField>'
PROBABILITY = '<Output><OutputField name="risk" optype="continuous" dataType="double" feature="probability" value="yes"/></Output>'
VALUE = '<Output><OutputField name="risk" optype="continuous" dataType="double" feature="predictedValue"/></Output>'


def document(model, derived="", replaced={}):
    fields = "\n".join(replaced.get(name, text) for name, text in FIELDS.items())
    return f"""<?xml version="1.0"?>
<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4">
<Header><Application name="written by hand" version="1"/></Header>
<DataDictionary>
{fields}
{CLASSES}
</DataDictionary>
<TransformationDictionary>{derived}</TransformationDictionary>
{model}
</PMML>
"""


def schema(*names, target=True, **settings):
    fields = [f'<MiningField name="{name}" {settings.get(name, "")}/>' for name in names]
    return "<MiningSchema>" + '<MiningField name="event" usageType="target"/>' * target + "".join(fields) + "</MiningSchema>"


def field(name, expression, kind="continuous", data="double"):
    return f'<DerivedField name="{name}" optype="{kind}" dataType="{data}">{expression}</DerivedField>'


def written(name, text, fields, absent=(), risk=None, inputs={}, extra={}, rows=None, refused=None, **part):
    """`risk` turns the answer of the evaluator into a risk, where that is not a probability."""
    data = (made(400, seed=5, gaps=0.0)[0] if rows is None else rows).copy()
    data["age"] = data.age.astype(int)
    data["edVisits6Months"] = data.edVisits6Months.astype(int)
    chance = np.random.default_rng(7)
    for field_name in absent:
        data.loc[chance.random(len(data)) < 0.25, field_name] = None
    data = data[list(fields)]
    with tempfile.NamedTemporaryFile("w", suffix=".pmml", delete=False) as file:
        file.write(text)
    evaluator = make_evaluator(file.name).verify()
    given = lambda row: {name: (None if pd.isna(value) else value) for name, value in {**row, **extra}.items()}
    risks = [evaluator.evaluate(given(row))["risk"] for row in data.to_dict("records")]
    os.unlink(file.name)
    risks = np.asarray(risks, dtype=float)
    spec = specification(list(fields), absent=absent, **{"event": "yes", **part})
    for own, limits in inputs.items():
        spec["model"]["inputs"][own] = {**spec["model"]["inputs"][own], **limits}

    def write(path):
        with open(path + ".pmml", "w") as out:
            out.write(text)

    folder(name, write, spec, data, risks if risk is None else risk(risks), refused)


def sigmoid(score):
    return 1 / (1 + np.exp(-score))


def share(yes):
    return f'<ScoreDistribution value="yes" recordCount="{yes}"/><ScoreDistribution value="no" recordCount="{40 - yes}"/>'


def node(predicate, yes, *children, id="", default=""):
    names = (f' id="{id}"' if id else "") + (f' defaultChild="{default}"' if default else "")
    return f'<Node score="{"yes" if yes > 20 else "no"}"{names}>{predicate}{share(yes)}{"".join(children)}</Node>'


def simple(name, operator, value):
    return f'<SimplePredicate field="{name}" operator="{operator}" value="{value}"/>'


def one_of(name, *values, operator="isIn"):
    words = " ".join(f"&quot;{value}&quot;" for value in values)
    return f'<SimpleSetPredicate field="{name}" booleanOperator="{operator}"><Array type="string" n="{len(values)}">{words}</Array></SimpleSetPredicate>'


TREE = ("age", "sodium", "albumin", "sex", "cancer", "edVisits6Months")


def tree(strategy, last="returnNullPrediction"):
    inner = [
        node(simple("age", "lessThan", 60), 4, node(one_of("cancer", "solitary", "metastatic"), 14, id="a1"), node(one_of("cancer", "none"), 3, id="a2"), id="a", default="a2"),
        node(
            f'<CompoundPredicate booleanOperator="and">{simple("age", "greaterOrEqual", 60)}{simple("age", "lessOrEqual", 80)}</CompoundPredicate>',
            16,
            node(f'<CompoundPredicate booleanOperator="surrogate">{simple("albumin", "lessOrEqual", 3.4)}{simple("sodium", "lessThan", 135)}<False/></CompoundPredicate>', 25, id="b1"),
            node(simple("edVisits6Months", "equal", 2), 19, id="b2"),
            node("<True/>", 11, id="b3"),
            id="b",
            default="b3",
        ),
        node(simple("age", "greaterThan", 80), 30, node(simple("sex", "notEqual", "F"), 33, id="c1"), node(simple("sex", "equal", "F"), 22, id="c2"), id="c", default="c2"),
    ]
    top = node("<True/>", 12, *inner, id="top", default="b")
    return document(f'<TreeModel functionName="classification" missingValueStrategy="{strategy}" noTrueChildStrategy="{last}">{schema(*TREE)}{PROBABILITY}{top}</TreeModel>')


written("tree", tree("none"), TREE)
written("tree-default-child", tree("defaultChild"), TREE, absent=("age", "sodium", "albumin", "sex", "cancer"))
written("tree-last-prediction", tree("lastPrediction", "returnLastPrediction"), TREE, absent=("age", "albumin", "sex", "cancer"))
written("tree-none", tree("none", "returnLastPrediction"), TREE, absent=("age", "sodium", "albumin", "sex", "cancer"))

DERIVED = "".join(
    [
        field("bent", '<NormContinuous field="age" outliers="asExtremeValues"><LinearNorm orig="40" norm="0"/><LinearNorm orig="65" norm="0.4"/><LinearNorm orig="85" norm="1.6"/></NormContinuous>'),
        field("drawn", '<NormContinuous field="sodium"><LinearNorm orig="130" norm="1"/><LinearNorm orig="137.5" norm="0"/><LinearNorm orig="145" norm="0.7"/></NormContinuous>'),
        field("man", '<NormDiscrete field="sex" value="M"/>'),
        field("level", '<Discretize field="albumin" defaultValue="high"><DiscretizeBin binValue="low"><Interval closure="openOpen" rightMargin="3.1"/></DiscretizeBin><DiscretizeBin binValue="middle"><Interval closure="closedClosed" leftMargin="3.1" rightMargin="3.9"/></DiscretizeBin></Discretize>', "categorical", "string"),
        field("stage", '<MapValues outputColumn="points" defaultValue="0"><FieldColumnPair field="cancer" column="code"/><InlineTable><row><code>solitary</code><points>0.4</points></row><row><code>metastatic</code><points>1.3</points></row></InlineTable></MapValues>'),
        field("low", '<Apply function="threshold"><Constant dataType="double">135.2</Constant><FieldRef field="sodium"/></Apply>'),
        field("capped", '<Apply function="min"><FieldRef field="age"/><Constant dataType="double">80</Constant></Apply>'),
        field("decades", '<Apply function="/"><Apply function="-"><FieldRef field="age"/><Constant dataType="double">65</Constant></Apply><Constant dataType="double">10</Constant></Apply>'),
        field("curved", '<Apply function="*"><Apply function="ln"><FieldRef field="albumin"/></Apply><Apply function="pow"><FieldRef field="decades"/><Constant dataType="integer">2</Constant></Apply></Apply>'),
        field("chosen", '<Apply function="if"><Apply function="and"><Apply function="equal"><FieldRef field="sex"/><Constant dataType="string">F</Constant></Apply><Apply function="greaterThan"><FieldRef field="decades"/><Constant dataType="double">0.35</Constant></Apply></Apply><FieldRef field="drawn"/><Constant dataType="double">-0.5</Constant></Apply>'),
    ]
)
PREDICTORS = "".join(
    [f'<NumericPredictor name="{name}" coefficient="{value}"/>' for name, value in {"bent": 0.9, "drawn": 0.7, "man": 0.4, "stage": 1.1, "low": 0.6, "capped": 0.01, "curved": 0.05, "chosen": -0.3}.items()]
    + ['<NumericPredictor name="age" exponent="2" coefficient="-0.0001"/>']
    + [f'<CategoricalPredictor name="level" value="{value}" coefficient="{points}"/>' for value, points in {"low": 0.8, "middle": 0.2}.items()]
    + ['<PredictorTerm coefficient="0.2"><FieldRef field="man"/><FieldRef field="decades"/></PredictorTerm>']
)
NAMES = ("age", "sodium", "albumin", "sex", "cancer")


def regression(method, first="yes", second="no", other=""):
    tables = f'<RegressionTable intercept="-1.5" targetCategory="{first}">{PREDICTORS}</RegressionTable><RegressionTable intercept="{0.3 if other else 0}" targetCategory="{second}">{other}</RegressionTable>'
    return document(f'<RegressionModel functionName="classification" normalizationMethod="{method}">{schema(*NAMES)}{PROBABILITY}{tables}</RegressionModel>', DERIVED)


written("derived-fields", regression("logit"), NAMES)
written("softmax", regression("softmax", other='<NumericPredictor name="decades" coefficient="0.3"/>'), NAMES)
written("second-class", regression("logit", "no", "yes"), NAMES)

parameters = {"p0": (-1.2, []), "p1": (0.03, [("age", 1)]), "p2": (0.5, [("sex", "M")]), "p3": (0.7, [("cancer", "solitary")]), "p4": (1.4, [("cancer", "metastatic")]), "p5": (-0.01, [("age", 1), ("sex", "M")]), "p6": (-0.02, [("albumin", 2)])}


def general(attributes, target, extra="", names=NAMES, functions="classification", shape="", reference={}, output=PROBABILITY):
    cells = "".join(f'<PPCell value="{value}" predictorName="{name}" parameterName="{parameter}"/>' for parameter, (_, parts) in parameters.items() for name, value in parts)
    betas = "".join(f'<PCell {target} parameterName="{parameter}" beta="{beta}"/>' for parameter, (beta, parts) in parameters.items() if functions == "classification" or parts)
    listed = "".join(f'<Parameter name="{parameter}" referencePoint="{reference.get(parameter, 0)}"/>' for parameter in parameters)
    lists = f'<ParameterList>{listed}</ParameterList><FactorList><Predictor name="sex"/><Predictor name="cancer"/></FactorList><CovariateList><Predictor name="age"/><Predictor name="albumin"/></CovariateList><PPMatrix>{cells}</PPMatrix><ParamMatrix>{betas}</ParamMatrix>'
    return document(f'<GeneralRegressionModel functionName="{functions}" {attributes}>{schema(*names, target=functions == "classification")}{output}{lists}{extra}</GeneralRegressionModel>')


USED = ("age", "albumin", "sex", "cancer")
written("general-logit", general('modelType="generalizedLinear" linkFunction="logit" targetReferenceCategory="no"', 'targetCategory="yes"', names=USED), USED)
written("general-multinomial", general('modelType="multinomialLogistic" targetReferenceCategory="no"', 'targetCategory="yes"', names=USED), USED)
written("general-event-is-reference", general('modelType="multinomialLogistic" targetReferenceCategory="yes"', 'targetCategory="no"', names=USED), USED)

cells = "".join(f'<BaselineCell time="{time}" cumHazard="{hazard}"/>' for time, hazard in [(3, 0.02), (10, 0.09), (30, 0.21), (60, 0.5)])
cox = 'modelType="CoxRegression" endTimeVariable="days"'
centre = {"p1": 66.2, "p6": 14.1}
hazard = lambda value: 1 - np.exp(-value)
written("cox", general(cox, "", f'<BaseCumHazardTables maxTime="90">{cells}</BaseCumHazardTables>', (*USED, "days"), "regression", reference=centre, output=VALUE), USED, risk=hazard, extra={"days": 45.0}, horizon=45)
double = cells.replace("0.09", "0.12").replace("0.21", "0.33")
strata = f'<BaseCumHazardTables>{"".join(f"<BaselineStratum value={chr(34)}{code}{chr(34)} maxTime={chr(34)}90{chr(34)}>{own}</BaselineStratum>" for code, own in {"F": cells, "M": double, "X": cells}.items())}</BaseCumHazardTables>'
written("cox-strata", general(cox + ' baselineStrataVariable="sex"', "", strata, (*USED, "days"), "regression", reference=centre, output=VALUE), USED, risk=hazard, extra={"days": 45.0}, horizon=45)

characteristics = [
    [(simple("age", "lessThan", 50), 0), (simple("age", "lessThan", 75), 12), ("<True/>", 25)],
    [('<SimplePredicate field="albumin" operator="isMissing"/>', 7), (simple("albumin", "lessOrEqual", 3.2), 18), (simple("albumin", "greaterThan", 3.2), 2)],
    [(one_of("cancer", "solitary", "metastatic"), 20), (one_of("cancer", "solitary", "metastatic", operator="isNotIn"), 1)],
]
attributes = "".join(f'<Characteristic name="c{place}">{"".join(f"<Attribute partialScore={chr(34)}{points}{chr(34)}>{test}</Attribute>" for test, points in own)}</Characteristic>' for place, own in enumerate(characteristics))
complex_points = '<Characteristic name="sodium"><Attribute><True/><ComplexPartialScore><Apply function="*"><FieldRef field="sodium"/><Constant dataType="double">-0.1</Constant></Apply></ComplexPartialScore></Attribute></Characteristic>'
card = document(f'<Scorecard functionName="regression" useReasonCodes="false" initialScore="10">{schema("age", "sodium", "albumin", "cancer", target=False)}{VALUE}<Characteristics>{attributes}{complex_points}</Characteristics></Scorecard>')
logistic = {"kind": "logistic", "intercept": -25}
written("scorecard", card, ("age", "sodium", "albumin", "cancer"), absent=("albumin",), risk=lambda score: sigmoid(score - 25), link=logistic)


def small_tree(name, value, low, high, kind="regression"):
    if kind == "regression":
        return f'<TreeModel functionName="regression">{schema(name, target=False)}<Node><True/><Node score="{low}">{simple(name, "lessThan", value)}</Node><Node score="{high}">{simple(name, "greaterOrEqual", value)}</Node></Node></TreeModel>'
    return f'<TreeModel functionName="classification">{schema(name)}{node("<True/>", 20, node(simple(name, "lessThan", value), low), node(simple(name, "greaterOrEqual", value), high))}</TreeModel>'


def segments(method, kind, outputs=""):
    trees = [("age", 70, 4, 21), ("sodium", 134.6, 25, 9), ("albumin", 3.3, 31, 6)]
    parts = "".join(f'<Segment id="{place}" weight="{place + 1}"><True/>{small_tree(*own, kind=kind)}</Segment>' for place, own in enumerate(trees))
    return f'<MiningModel functionName="{kind}">{schema("age", "sodium", "albumin", target=kind == "classification")}{outputs}<Segmentation multipleModelMethod="{method}">{parts}</Segmentation></MiningModel>'


THREE = ("age", "sodium", "albumin")
written("classes-averaged", document(segments("average", "classification", PROBABILITY)), THREE)
written("classes-weighted", document(segments("weightedAverage", "classification", PROBABILITY)), THREE)
targets = '<Targets><Target rescaleFactor="0.01" rescaleConstant="0.05"/></Targets>'
written("rescaled-average", document(segments("average", "regression", VALUE + targets)), THREE)
first = segments("sum", "regression", '<Output><OutputField name="sum" optype="continuous" dataType="double" isFinalResult="false"/><OutputField name="moved" optype="continuous" dataType="double" feature="transformedValue" isFinalResult="false"><Apply function="/"><Apply function="-"><FieldRef field="sum"/><Constant dataType="double">30</Constant></Apply><Constant dataType="double">8</Constant></Apply></OutputField></Output>')
second = f'<RegressionModel functionName="classification" normalizationMethod="logit">{schema("moved")}{PROBABILITY}<RegressionTable intercept="0.1" targetCategory="yes"><NumericPredictor name="moved" coefficient="0.9"/></RegressionTable><RegressionTable intercept="0" targetCategory="no"/></RegressionModel>'
chain = f'<MiningModel functionName="classification">{schema(*THREE)}<Segmentation multipleModelMethod="modelChain"><Segment id="1"><True/>{first}</Segment><Segment id="2"><True/>{second}</Segment></Segmentation></MiningModel>'
written("chain", document(chain), THREE)

limited = {
    "sodium": '<DataField name="sodium" optype="continuous" dataType="double"><Interval closure="closedOpen" leftMargin="120" rightMargin="160"/><Value value="999" property="missing"/></DataField>',
    "edVisits6Months": '<DataField name="edVisits6Months" optype="categorical" dataType="integer"><Value value="0"/><Value value="1.0"/><Value value="2"/></DataField>',
    "albumin": '<DataField name="albumin" optype="continuous" dataType="double"><Interval closure="closedClosed" leftMargin="2" rightMargin="5"/></DataField>',
}
settings = schema("sodium", "albumin", "edVisits6Months", albumin='invalidValueTreatment="asMissing" missingValueReplacement="3.9"', edVisits6Months='invalidValueTreatment="asMissing"', sodium='outliers="asExtremeValues" lowValue="130" highValue="145"')
tables = f'<RegressionTable intercept="3" targetCategory="yes"><NumericPredictor name="sodium" coefficient="-0.05"/><NumericPredictor name="albumin" coefficient="0.7"/>{"".join(f"<CategoricalPredictor name={chr(34)}edVisits6Months{chr(34)} value={chr(34)}{value}{chr(34)} coefficient={chr(34)}{points}{chr(34)}/>" for value, points in {"1": 0.4, "2": 0.9}.items())}</RegressionTable><RegressionTable intercept="0" targetCategory="no"/>'
treated = document(f'<RegressionModel functionName="classification" normalizationMethod="logit">{settings}{PROBABILITY}{tables}</RegressionModel>', replaced=limited)
written("treated-values", treated, ("sodium", "albumin", "edVisits6Months"), inputs={"sodium": {"from": 120, "to": 159.9}})
written("treated-values-too-wide", treated, ("sodium", "albumin", "edVisits6Months"), refused="narrow model.inputs.sodium")
