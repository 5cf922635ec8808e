"""Submits, waits, downloads and deletes with the Python client, as its page says. Arguments: address, key."""

import io
import json
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

# The answer is lost when the file was read to its end: the second try sends it again from where it stood, not from its start.
connect = client._connect
tries = []


def connect_and_lose(timeout):
    connection = connect(timeout)
    tries.append(connection)
    if len(tries) == 1:

        def lose():
            raise ConnectionResetError

        connection.getresponse = lose
    return connection


client._connect = connect_and_lose
file = io.BytesIO(b"a head\n" + b"".join(json.dumps(each).encode() + b"\n" for each in records))
file.readline()
job = client.submit(file)
assert len(tries) == 2, tries
done = client.wait(job)
assert (done["records"], done["scored"]) == (5, 5), done

bad = client.submit(io.BytesIO(b'[{"idx": 1,}]'), "application/json")
try:
    client.wait(bad)
    raise AssertionError("a bad body was scored")
except JobFailedError as error:
    assert error.answer["code"] == "BODY_MALFORMED"
