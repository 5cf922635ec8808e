"""The calls of one deployment: score, validate, explain, stream, and a data frame in and out."""

import contextlib
import datetime
import email.utils
import http.client
import json
import re
import socket
import threading
import time
import uuid
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, cast
from urllib.parse import urlsplit

from ._types import Explained, PatientRecord, Problem, Result, Validity

_RETRIED = (429, 503)
_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 60.0
_PIECE_BYTES = 65_536
_DIGEST = "Risk-Deployment-Digest"


class RiskServiceError(Exception):
    """The service refused a whole request. ``problem["instance"]`` is the request id to quote when asking for help."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem['status']} {problem['code']}: {problem['detail']}")
        self.problem = problem


class DeploymentChangedError(RiskServiceError):
    """The deployment is not in the state that ``if_match`` names, and nothing was scored.

    ``deployment_digest`` is the state that it is in now. Look at what has changed before you pass it as ``if_match``.
    """

    def __init__(self, problem: Problem, deployment_digest: Optional[str]) -> None:
        super().__init__(problem)
        self.deployment_digest = deployment_digest


class Client:
    """A client of one deployment.

    ``url`` is the address of the service with the base path of the deployment, for example ``https://risk.example.org/flag``.
    A client may be used from several threads; each call opens a connection of its own.

    ``if_match`` is the ``deployment_digest`` of an earlier answer. Records are scored only while the deployment is in that state;
    otherwise a call raises a ``DeploymentChangedError``.

    ``deployment_digest`` is the digest of everything that decided the latest answer: model, scales, fields and settings.
    """

    def __init__(
        self, url: str, key: str, retries: int = 4, timeout: float = 60.0, if_match: Optional[str] = None
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError("url must begin with http:// or https://")
        self._is_tls = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._path = parts.path.rstrip("/") + "/risk/api/do/v0"
        self._key = key
        self._retries = retries
        self._timeout = timeout
        self._if_match = if_match
        self.deployment_digest: Optional[str] = None
        self._limits: Optional[Tuple[int, int]] = None

    def score(self, records: Sequence[PatientRecord], request_id: Optional[str] = None) -> List[Result]:
        """One result for each record, in the order of the records, however many there are."""
        return cast(List[Result], self._in_batches("", records, request_id))

    def validate(self, records: Sequence[PatientRecord], request_id: Optional[str] = None) -> List[Validity]:
        return cast(List[Validity], self._in_batches("/validate", records, request_id))

    def explain(self, records: Sequence[PatientRecord], request_id: Optional[str] = None) -> List[Explained]:
        return cast(List[Explained], self._in_batches("/explain", records, request_id))

    def stream(self, records: Iterable[PatientRecord], request_id: Optional[str] = None) -> Iterator[Result]:
        """Results as they are ready, while records are still being sent.

        A thread of its own sends, so neither side waits for the other. A stream is not retried. It raises when the service ends
        it early. Withdraw all results of an idx that is refused as a duplicate: in a stream only the later ones can be refused.
        """
        connection = self._connect(timeout=None)
        failure: List[BaseException] = []
        try:
            connection.putrequest("POST", self._path)
            headers = self._headers("POST", "application/x-ndjson", request_id or str(uuid.uuid4()))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.putheader("Transfer-Encoding", "chunked")
            connection.endheaders()
            # Otherwise a thread that still sends after the end would open a new connection, and send records outside a request.
            connection.auto_open = 0
            sender = threading.Thread(target=_send_lines, args=(connection, records, failure), daemon=True)
            sender.start()
            response = connection.getresponse()
            if response.status != 200:
                raise _error_of(response.status, response.getheader, response.read())
            self._note_digest(response)
            for line in response:
                value = json.loads(line)
                if "code" in value:
                    raise RiskServiceError(cast(Problem, value))
                yield cast(Result, value)
            sender.join()
        except (OSError, ValueError, http.client.HTTPException, RiskServiceError):
            # A source of records that fails closes the connection; its own error says more than the cut connection.
            if not failure:
                raise
        finally:
            connection.close()
        if failure:
            raise failure[0]

    def score_frame(self, frame: Any, request_id: Optional[str] = None) -> Any:
        """Scores the rows of a pandas data frame.

        Columns are fields of the deployment. The row number is the idx where there is no column ``idx``. The result has the
        index of the frame and the columns ``risk`` and ``error_message``. Missing values (NaN, NaT, NA, None) are absent.
        """
        import pandas

        records = [
            {"idx": position, **{name: value for name, value in row.items() if not pandas.isna(value)}}
            for position, row in enumerate(frame.to_dict(orient="records"))
        ]
        results = self.score(records, request_id)
        return pandas.DataFrame(
            {"risk": [r["risk"] for r in results], "error_message": [r["error_message"] for r in results]},
            index=frame.index,
        )

    def _in_batches(self, call: str, records: Sequence[PatientRecord], request_id: Optional[str]) -> List[Any]:
        results: List[Any] = [None] * len(records)
        batches = list(_batches(records, self._read_limits()))
        base = request_id or str(uuid.uuid4())
        for number, (body, positions) in enumerate(batches, 1):
            name = base if len(batches) == 1 else f"{base}.{number}"
            answer = self._request("POST", self._path + call, name, body)
            for position, result in zip(positions, answer):
                results[position] = result
        return results

    def _read_limits(self) -> Tuple[int, int]:
        if self._limits is None:
            model = self._request("GET", self._path + "/model", str(uuid.uuid4()), None)
            limits = model["deployment"]["limits"]
            self._limits = (limits["records"], limits["bytes"])
        return self._limits

    def _request(self, method: str, path: str, request_id: str, body: Optional[bytes]) -> Any:
        """Retries reuse the request id. Scoring changes nothing, so a request whose answer was lost may be sent again."""
        headers = self._headers(method, "application/json", request_id)
        attempt = 0
        while True:
            wait = min(_FIRST_WAIT_S * 2**attempt, _LONGEST_WAIT_S)
            try:
                connection = self._connect(self._timeout)
                try:
                    connection.request(method, path, body, headers)
                    response = connection.getresponse()
                    content = response.read()
                finally:
                    connection.close()
                if response.status == 200:
                    self._note_digest(response)
                    return json.loads(content)
                if response.status not in _RETRIED or attempt >= self._retries:
                    raise _error_of(response.status, response.getheader, content)
                wait = max(wait, _seconds_of(response.getheader("Retry-After")))
            except (OSError, http.client.HTTPException):
                if attempt >= self._retries:
                    raise
            attempt += 1
            time.sleep(wait)

    def _connect(self, timeout: Optional[float]) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._is_tls else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=timeout)

    def _headers(self, method: str, content_type: str, request_id: str) -> Dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self._key}",
            "Content-Type": content_type,
            "X-Request-Id": request_id,
        }
        if method == "POST" and self._if_match is not None:
            # HTTP writes a tag as the base64 text in quotes.
            headers["If-Match"] = '"' + re.sub(r"^sha-256=:(.*):$", r"\1", self._if_match) + '"'
        return headers

    def _note_digest(self, response: http.client.HTTPResponse) -> None:
        self.deployment_digest = response.getheader(_DIGEST) or self.deployment_digest


def _send_lines(
    connection: http.client.HTTPConnection, records: Iterable[PatientRecord], failure: List[BaseException]
) -> None:
    def send(data: bytes) -> bool:
        try:
            connection.send(data)
            return True
        except (OSError, http.client.HTTPException):
            # The connection has ended. The reading side knows why, or the caller has stopped reading.
            return False

    try:
        piece = bytearray()
        for record in records:
            piece += _encode(record) + b"\n"
            if len(piece) >= _PIECE_BYTES:
                if not send(b"%x\r\n%s\r\n" % (len(piece), piece)):
                    return
                piece = bytearray()
        if piece and not send(b"%x\r\n%s\r\n" % (len(piece), piece)):
            return
        send(b"0\r\n\r\n")
    except BaseException as error:  # What the caller's own generator raises must reach the caller.
        failure.append(error)
        sock = connection.sock
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)


def _batches(records: Sequence[PatientRecord], limits: Tuple[int, int]) -> Iterator[Tuple[bytes, List[int]]]:
    """Records with the same idx stay in one body: the service refuses all of them, and could not if it saw them apart."""
    most_records, most_bytes = limits
    groups: Dict[Any, List[int]] = {}
    for position, record in enumerate(records):
        idx = record.get("idx") if isinstance(record, dict) else None
        groups.setdefault(("idx", idx) if isinstance(idx, (int, float)) else ("none", position), []).append(position)
    texts: List[bytes] = []
    positions: List[int] = []
    size = 2
    for group in groups.values():
        if len(group) > most_records:
            raise ValueError(f"{len(group)} records share one idx, and a request may hold {most_records}.")
        written = [_encode(records[position]) for position in group]
        more = sum(len(text) + 1 for text in written)
        if positions and (len(positions) + len(group) > most_records or size + more > most_bytes):
            yield b"[" + b",".join(texts) + b"]", positions
            texts, positions, size = [], [], 2
        texts += written
        positions += group
        size += more
    if positions:
        yield b"[" + b",".join(texts) + b"]", positions


def _encode(record: PatientRecord) -> bytes:
    # JSON has no NaN. A NaN in a plain record is a mistake of the caller, so it is refused here with a clear error.
    return json.dumps(record, allow_nan=False, separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    """What JSON has no form for: a date is sent as the service reads it, DD-MM-YYYY, and a numpy value as Python's own."""
    if isinstance(value, datetime.date):  # Also a datetime and the Timestamp of pandas.
        return f"{value.day:02}-{value.month:02}-{value.year:04}"
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a record holds numbers, texts, booleans and dates, not {type(value).__name__}")


def _seconds_of(retry_after: Optional[str]) -> float:
    """Retry-After holds seconds or, from some proxies, an HTTP date."""
    try:
        return float(retry_after or 0)
    except ValueError:
        date = email.utils.parsedate_tz(retry_after or "")
        return 0.0 if date is None else email.utils.mktime_tz(date) - time.time()


def _error_of(status: int, header: Any, content: bytes) -> RiskServiceError:
    problem = _problem_of(status, header, content)
    if problem["code"] == "DEPLOYMENT_CHANGED":
        return DeploymentChangedError(problem, header(_DIGEST))
    return RiskServiceError(problem)


def _problem_of(status: int, header: Any, content: bytes) -> Problem:
    """A proxy between client and service may answer without a problem document."""
    if str(header("Content-Type") or "").startswith("application/problem+json"):
        return cast(Problem, json.loads(content))
    return {
        "type": "about:blank",
        "title": "",
        "status": status,
        "detail": "The answer did not come from the service itself; a proxy may stand between.",
        "instance": header("X-Request-Id") or "",
        "code": "INTERNAL",
    }
