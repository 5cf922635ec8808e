"""Uses the Python client against a running service: ``use_client.py URL KEY FLAKY_URL``. Prints ``ok`` when everything held."""

import datetime
import sys
import threading
import time

from patient_risk import Client, DeploymentChangedError, RiskServiceError

url, key, flaky_url = sys.argv[1:4]
PATIENT = {"age": 84, "sex": "F", "inpatientAdmissions": 2, "emergencyAdmissions": 1, "stayDays": 7}
client = Client(url, key)

scored, refused = client.score([{"idx": 1, **PATIENT}, {"idx": 2, "sex": "M"}])
assert scored == {"idx": 1, "risk": 0.2294, "error_message": None}, scored
assert refused["risk"] is None and refused["error_message"][0]["Field"] == "age"
assert [v["valid"] for v in client.validate([{"idx": 1, **PATIENT}, {"idx": 2}])] == [True, False]
assert client.explain([{"idx": 1, **PATIENT}])[0]["explanation"]["model"].startswith("readmission30@")
assert Client(url + "/flag/", key).score([{"idx": 1, **PATIENT}])[0]["risk"] == "Yes"

outcome = {"idx": 1, "risk": 0.2294, "outcome": True, "digest": client.deployment_digest or "", "scored": "2099-01"}
try:
    assert client.send_outcomes([outcome])[0]["counted"] is False
except RiskServiceError as error:
    assert error.problem["code"] == "KEY_SCOPE", error.problem

# More than one request holds, in order, and a repeated idx far apart is refused in both places.
many = [{"idx": n, **PATIENT} for n in range(12_000)] + [{"idx": 0, **PATIENT}]
results = client.score(many)
assert [r["idx"] for r in results] == [r["idx"] for r in many]
assert [i for i, r in enumerate(results) if r["risk"] is None] == [0, 12_000]

# A reader that stops early: nothing is sent after that, and no thread ends with an error.
threads_failed = []
threading.excepthook = threads_failed.append
stream = client.stream({"idx": n, **PATIENT, "note": "x" * 200} for n in range(60_000))
next(stream)
stream.close()
deadline = time.monotonic() + 10
while threading.active_count() > 1 and time.monotonic() < deadline:
    time.sleep(0.01)
assert threading.active_count() == 1 and not threads_failed, threads_failed

# A long stream: the service answers while records are sent, so a client that only sends would stand still.
count = 0
for result in client.stream({"idx": n, **PATIENT, "note": "x" * 200} for n in range(60_000)):
    assert result["idx"] == count and result["risk"] == 0.2294
    count += 1
assert count == 60_000, count


def failing():
    yield {"idx": 1, **PATIENT}
    raise RuntimeError("the source broke")


try:
    list(client.stream(failing()))
    raise AssertionError("an error of the source was lost")
except RuntimeError as error:
    assert str(error) == "the source broke"

try:
    Client(url, "prk_wrong").score([{"idx": 1, **PATIENT}])
    raise AssertionError("a wrong key was taken")
except RiskServiceError as error:
    assert error.problem["status"] == 401

# The state of a deployment: the same answers it, another one is refused before anything is scored.
digest = client.deployment_digest
assert digest is not None and digest.startswith("sha-256=:")
for form in (digest, digest[len("sha-256=:") : -1]):
    insisting = Client(url, key, if_match=form)
    assert insisting.score([{"idx": 1, **PATIENT}])[0]["risk"] == 0.2294
    assert next(insisting.stream([{"idx": 1, **PATIENT}]))["risk"] == 0.2294
    assert insisting.deployment_digest == digest
other = Client(url + "/flag", key, if_match=digest)
for call in (lambda: other.score([{"idx": 1, **PATIENT}]), lambda: list(other.stream([{"idx": 1, **PATIENT}]))):
    try:
        call()
        raise AssertionError("another state was accepted")
    except DeploymentChangedError as error:
        assert error.problem["code"] == "DEPLOYMENT_CHANGED"
        assert error.deployment_digest not in (None, digest)

# An open alarm of calibration is a field, of a stream too. Answers without records say nothing of it.
assert client.calibration_alarm is None
watched = Client(url + "/watched", key)
for answer in (watched.score, watched.explain, lambda records: list(watched.stream(records))):
    watched.calibration_alarm = None
    answer([{"idx": 1, **PATIENT}])
    assert watched.calibration_alarm == "2026-01"

# A code of another convention puts the field in doubt for this sender.
flags = Client(url + "/flag", key)
flags.score([{"idx": 1, **PATIENT, "sex": "H"}])
assert "sex;doubt=codes" in (flags.feed_doubt or ""), flags.feed_doubt

try:
    client.score([{"idx": 1, "age": float("nan")}])
    raise AssertionError("NaN was sent")
except ValueError:
    pass

started = time.monotonic()
try:
    Client("http://127.0.0.1:1", key, retries=1).score([{"idx": 1, **PATIENT}])
    raise AssertionError("nobody listens there")
except OSError:
    assert time.monotonic() - started >= 0.25

# A lost answer and a Retry-After with a date.
assert Client(flaky_url, key).score([{"idx": 1, **PATIENT}])[0]["risk"] == 0.2294

# An outcome by receipt is counted once, whether it came from a list or a stream.
watched = Client(url + "/watched", sys.argv[4])
of_list = watched.score([{"idx": 1, **PATIENT}, {"idx": 2}], receipts=True)
of_stream = next(watched.stream([{"idx": 1, **PATIENT}], receipts=True))
assert "receipt" not in of_list[1] and "receipt" not in watched.score([{"idx": 1, **PATIENT}])[0]
sent = [{"idx": n, "receipt": r["receipt"], "outcome": "event"} for n, r in enumerate([of_list[0], of_stream])]
assert [each["counted"] for each in watched.send_outcomes(sent)] == [True, True]
assert [each["error_message"][0]["Field"] for each in watched.send_outcomes(sent)] == ["receipt", "receipt"]

# Dates are sent as the service reads them.
BARTHEL = {**PATIENT, "barthel_total": 90}
days = [datetime.date(2026, 3, 1), datetime.datetime(2026, 3, 1, 23, 30), None, datetime.date(2999, 12, 31)]
results = client.score([{"idx": n, **BARTHEL, "barthel_date": day} for n, day in enumerate(days)])
assert [r["error_message"] is None for r in results] == [True, True, True, False], results
assert "date in the future" in results[3]["error_message"][0]["ExtendError"]
assert next(client.stream([{"idx": 1, **BARTHEL, "barthel_date": days[0]}]))["error_message"] is None
try:
    client.score([{"idx": 1, "age": object()}])
    raise AssertionError("an object was sent")
except TypeError:
    pass

try:
    import pandas
except ImportError:
    print("ok without pandas")
else:
    frame = pandas.DataFrame([PATIENT, {**PATIENT, "age": None}], index=["a", "b"])
    answer = client.score_frame(frame)
    assert list(answer.index) == ["a", "b"]
    assert answer["risk"]["a"] == 0.2294 and answer["error_message"]["b"] is not None

    dated = pandas.DataFrame([BARTHEL] * 4).astype({"sex": "category", "age": "Int64", "stayDays": "float64"})
    dated["barthel_date"] = pandas.to_datetime(["2026-03-01", "2026-03-01 23:30", None, "2100-12-31"], format="mixed")
    dated.loc[2, "barthel_total"] = None
    dated["mna_total"] = pandas.array([None, None, None, None], dtype="Int64")
    dated["walks"] = pandas.array([True, None, False, True], dtype="boolean")
    answer = client.score_frame(dated)
    assert list(answer["risk"]) == [0.2294] * 4, answer
    assert [message is None for message in answer["error_message"]] == [True, True, True, False], answer
    assert "date in the future" in answer["error_message"][3][0]["ExtendError"]
    assert len(client.score_frame(frame[:0])) == 0
    print("ok")
