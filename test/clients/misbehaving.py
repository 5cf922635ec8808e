"""The Python client and a server that misbehaves: ``misbehaving.py URL MODES``. Prints what each kind of answer leads to."""

import json
import os
import sys

from patient_risk import Client, RiskServiceError, _client

url, modes = sys.argv[1], sys.argv[2].split(",")
RECORDS = [{"idx": 1, "age": 84}, {"idx": 2, "age": 85}]
waits = []
_client.time.sleep = waits.append


def outcome(mode):
    client = Client(f"{url}/{mode}", "key", retries=1)
    try:
        results = client.stream(RECORDS) if mode.startswith("stream") else client.score(RECORDS)
        return " ".join(str(result["risk"]) for result in results)
    except RiskServiceError as error:
        return f"RiskServiceError: {error.problem['detail']}"
    except Exception as error:
        return type(error).__name__


print(json.dumps({mode: outcome(mode) for mode in modes}))

assert waits and all(0.25 <= wait <= 0.3125 for wait in waits), waits
for retry_after, attempt, least in (("86400", 0, 60), ("2", 0, 2), (None, 3, 2), (None, 20, 60), ("soon", 0, 0.25)):
    waited = [_client._wait_seconds(attempt, retry_after) for _ in range(200)]
    assert min(waited) >= least and max(waited) <= least * 1.25 and len(set(waited)) > 100, (retry_after, attempt)

for call in (Client(url, "key").score, Client(url, "key").explain, lambda one: list(Client(url, "key").stream(one))):
    try:
        call(RECORDS[0])
        raise AssertionError("a single record was taken")
    except TypeError as error:
        assert "list" in str(error), error

# A request is as full as the limits permit: so many records, their bytes and the comma that the first does not need.
five = [{"idx": idx, "age": 84} for idx in range(5)]
twins = [{"idx": 1, "age": 84}] * 3
size = len(json.dumps(five, separators=(",", ":"))) + 1
for records, limits, bodies in (
    (five, (4, 1000), [4, 1]),
    (five, (5, 1000), [5]),
    (five, (6, 1000), [5]),
    (five, (100, size - 1), [4, 1]),
    (five, (100, size), [5]),
    (five, (100, size + 1), [5]),
    (twins, (3, 1000), [3]),
    (twins, (4, 1000), [3]),
    (five[:2] + twins, (4, 1000), [1, 4]),
):
    found = [len(positions) for _body, positions in _client._batches(records, limits)]
    assert found == bodies, (limits, bodies, found)
try:
    list(_client._batches(twins, (2, 1000)))
    raise AssertionError("three records with one idx were parted")
except ValueError as error:
    assert "share one idx" in str(error), error

# Outcomes in two bodies have an id each, and the same ones when they are sent again.
for _time in range(2):
    sender = Client(url, "key")
    sender._limits = (4, 1000)
    sent = []
    sender._request = lambda method, path, name, body, count: sent.append(name) or [None] * count
    sender.send_outcomes(five, "month")
    assert sent == ["month.1", "month.2"], sent

# With and without a slash at its end, an address is the same.
for address in (f"{url}/well", f"{url}/well/"):
    assert Client(address, "key")._path == "/well/risk/api/do/v0", address

# A proxy of the environment gets the whole address, and the words to sign in; an exception of NO_PROXY goes around it.
host = url.partition("//")[2]
os.environ.update(http_proxy=f"http://user:p%40ss@{host}", no_proxy="")
assert Client("http://risk.example.org/well", "key").score(RECORDS)[1]["risk"] == 0.2
assert [r["risk"] for r in Client("http://risk.example.org/well", "key").score(RECORDS)] == [0.2, 0.2]
proxied = Client("http://risk.example.org:8080/well", "key")
assert proxied._headers("POST", "application/json", "1")["Proxy-Authorization"] == "Basic dXNlcjpwQHNz"
os.environ["no_proxy"] = host
assert Client(f"{url}/well", "key")._proxy is None
os.environ["https_proxy"] = host
assert Client("https://risk.example.org", "key")._connect(1)._tunnel_host == "risk.example.org"

try:
    import pandas
except ImportError:
    sys.exit()
del os.environ["http_proxy"]
client = Client(url, "key")
for risks, kind in ((["Yes", None], "object"), ([None, None], "float64"), ([0.2, None], "float64"), ([], "float64")):
    client.score = lambda records, request_id, risks=risks: [{"risk": risk, "error_message": None} for risk in risks]
    frame = client.score_frame(pandas.DataFrame({"age": [84] * len(risks)}))
    assert frame["risk"].dtype == kind and frame["risk"].isna().sum() == risks.count(None), frame
