"""Submits, waits, downloads and deletes with the Python client, as its page says. Arguments: address, key."""

import io
import sys

from patient_risk import Client, JobFailedError, RiskServiceError

client = Client(sys.argv[1], sys.argv[2])
record = {"age": 84, "sex": "F", "inpatientAdmissions": 2, "emergencyAdmissions": 1, "stayDays": 7}
records = [{"idx": idx, **record} for idx in range(5)]
job = client.submit(records, idempotency_key="night 1")
assert client.submit(records, idempotency_key="night 1") == job
seen = []
done = client.wait(job, lambda count, total: seen.append((count, total)))
assert (done["records"], done["scored"]) == (5, 5), done
assert seen[-1] == (5, 5), seen
target = io.BytesIO()
client.download(done["output"][0]["url"], target)
assert target.getvalue().count(b"\n") == 5
client.delete_job(job)
client.delete_job(job)
try:
    client.wait(job)
    raise AssertionError("a deleted job was there")
except RiskServiceError as error:
    assert error.problem["code"] == "NOT_FOUND"
bad = client.submit(io.BytesIO(b'[{"idx": 1,}]'), "application/json")
try:
    client.wait(bad)
    raise AssertionError("a bad body was scored")
except JobFailedError as error:
    assert error.answer["code"] == "BODY_MALFORMED"
