"""The calls of one deployment: score, validate, explain, stream, and a data frame in and out."""

import base64
import contextlib
import datetime
import email.utils
import http.client
import json
import random
import re
import socket
import sys
import threading
import time
import uuid
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, cast
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ._types import Explained, Outcome, OutcomeResult, PatientRecord, Problem, Result, Validity

_RETRIED = (429, 502, 503, 504)
_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 60.0
# How much longer than needed a retry waits at most, so that many clients do not come back at the same moment.
_JITTER = 0.25
# A sender that is done ends at once; one that still waits for its records has lost its reader.
_SENDER_END_S = 5.0
_PIECE_BYTES = 65_536
_FROM_A_PROXY = "The answer did not come from the service itself; a proxy may stand between."
_DIGEST = "Risk-Deployment-Digest"
_ALARM = "Risk-Calibration-Alarm"
_DOUBT = "Risk-Feed-Doubt"


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


class JobFailedError(Exception):
    """The job failed, and nothing of it was answered. ``answer`` has its ``code`` and ``reason``."""

    def __init__(self, answer: Dict[str, Any]) -> None:
        super().__init__(f"{answer['code']}: {answer['reason']}")
        self.answer = answer


def _scoring_call(receipts: bool) -> str:
    return "?receipts=true" if receipts else ""


def job_bar(done: int, total: Optional[int]) -> None:
    """A progress bar on the standard error, for ``wait``."""
    share = 0.0 if not total else done / total
    filled = int(30 * share)
    end = "\n" if total is not None and done == total else ""
    shown = f"{done:,} records" if total is None else f"{done:,} of {total:,} records"
    sys.stderr.write(f"\r[{'#' * filled}{' ' * (30 - filled)}] {shown}{end}")
    sys.stderr.flush()


class Client:
    """A client of one deployment.

    ``url`` is the address of the service with the base path of the deployment, for example ``https://risk.example.org/flag``.
    A client may be used from several threads; each call opens a connection of its own. The environment variables ``HTTP_PROXY``,
    ``HTTPS_PROXY`` and ``NO_PROXY`` are respected.

    ``if_match`` is the ``deployment_digest`` of an earlier answer. Records are scored only while the deployment is in that state;
    otherwise a call raises a ``DeploymentChangedError``.

    ``deployment_digest`` is the digest of everything that decided the latest answer: model, scales, fields and settings.

    ``calibration_alarm`` is the month of an open alarm of calibration, or ``None``, as of the latest answer with records: the
    outcomes of the hospital do not fit the risks. Show it beside every number.

    ``feed_doubt`` names the fields that the records probably mean in another way than the service reads them, as of the latest
    answer with records, such as ``"sex;doubt=codes"``, or is ``None``. Look at these fields before you use the risks.
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
        self._proxy = _proxy_of(parts)
        if self._proxy is not None and not self._is_tls:
            # A proxy is asked for the whole address. With TLS it only passes bytes on.
            self._path = f"http://{parts.netloc.rpartition('@')[2]}{self._path}"
        self._key = key
        self._retries = retries
        self._timeout = timeout
        self._if_match = if_match
        self.deployment_digest: Optional[str] = None
        self.calibration_alarm: Optional[str] = None
        self.feed_doubt: Optional[str] = None
        self._limits: Optional[Tuple[int, int]] = None

    def score(
        self, records: Sequence[PatientRecord], request_id: Optional[str] = None, receipts: bool = False
    ) -> List[Result]:
        """One result for each record, in the order of the records, however many there are.

        With ``receipts``, where the deployment takes outcomes, each result with a risk has a ``receipt``. Keep it, and send the
        outcome with it in place of risk, digest and month: it is counted once, however often it is sent.
        """
        return cast(List[Result], self._in_batches(_scoring_call(receipts), records, request_id))

    def validate(self, records: Sequence[PatientRecord], request_id: Optional[str] = None) -> List[Validity]:
        return cast(List[Validity], self._in_batches("/validate", records, request_id))

    def explain(self, records: Sequence[PatientRecord], request_id: Optional[str] = None) -> List[Explained]:
        return cast(List[Explained], self._in_batches("/explain", records, request_id))

    def send_outcomes(self, outcomes: Sequence[Outcome], request_id: Optional[str] = None) -> List[OutcomeResult]:
        """Send what came true of earlier answers: their risk, digest and month, or their receipt, and what happened.

        Every request carries an ``Idempotency-Key``, the request id, so that a retry is never counted twice. Give a request id
        of your own, such as the name of the month, if your program may send the same outcomes again.
        """
        return self._in_batches("/outcomes", outcomes, request_id)

    def stream(
        self, records: Iterable[PatientRecord], request_id: Optional[str] = None, receipts: bool = False
    ) -> Iterator[Result]:
        """Results as they are ready, while records are still being sent.

        A thread of its own sends, so neither side waits for the other. A stream is not retried. It raises when the service ends
        it early. Withdraw all results of an idx that is refused as a duplicate: in a stream only the later ones can be refused.
        """
        _refuse_single(records)
        connection = self._connect(timeout=None)
        failure: List[BaseException] = []
        sent = [0]
        results = 0
        response: Optional[http.client.HTTPResponse] = None
        try:
            connection.putrequest("POST", self._path + _scoring_call(receipts))
            headers = self._headers("POST", "application/x-ndjson", request_id or str(uuid.uuid4()))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.putheader("Transfer-Encoding", "chunked")
            connection.endheaders()
            # Otherwise a thread that still sends after the end would open a new connection, and send records outside a request.
            connection.auto_open = 0
            sender = threading.Thread(target=_send_lines, args=(connection, records, failure, sent), daemon=True)
            sender.start()
            response = connection.getresponse()
            if response.status != 200:
                raise _error_of(response.status, response.getheader, response.read())
            _refuse_page(response)
            self._note_answer(response, True)
            for line in response:
                if not line.endswith(b"\n"):
                    raise _cut(response, results)
                value = json.loads(line)
                if "code" in value:
                    raise RiskServiceError(cast(Problem, value))
                results += 1
                yield cast(Result, value)
            sender.join(_SENDER_END_S)
            # A cut answer looks like a whole one, here and behind some proxies: so the results are counted.
            if not failure and (sender.is_alive() or results < sent[0]):
                raise _cut(response, results)
        except (OSError, ValueError, http.client.HTTPException, RiskServiceError) as error:
            # A source of records that fails closes the connection; its own error says more than the cut connection.
            if not failure and (response is None or isinstance(error, RiskServiceError)):
                raise
            if not failure:
                raise _cut(response, results) from error
        finally:
            connection.close()
        if failure:
            raise failure[0]

    def score_frame(self, frame: Any, request_id: Optional[str] = None) -> Any:
        """Scores the rows of a pandas data frame.

        Columns are fields of the deployment. The row number is the idx where there is no column ``idx``. The result has the
        index of the frame and the columns ``risk`` (NaN where there is none) and ``error_message``.
        Missing values (NaN, NaT, NA, None) are absent.
        """
        import pandas

        records = [
            {"idx": position, **{name: value for name, value in row.items() if not pandas.isna(value)}}
            for position, row in enumerate(frame.to_dict(orient="records"))
        ]
        results = self.score(records, request_id)
        risks = [float("nan") if r["risk"] is None else r["risk"] for r in results]
        # Without a scored row there is no number to guess the type of the column from.
        kind = object if any(isinstance(risk, str) for risk in risks) else "float64"
        return pandas.DataFrame(
            {
                "risk": pandas.Series(risks, index=frame.index, dtype=kind),
                "error_message": [r["error_message"] for r in results],
            },
            index=frame.index,
        )

    def submit(
        self,
        body: Any,
        content_type: str = "application/x-ndjson",
        to: str = "ndjson",
        idempotency_key: Optional[str] = None,
    ) -> str:
        """Submit many records, or a file, as a job, where the service has jobs. Returns the address of the job.

        ``body`` is a list of records, bytes, or a binary file that is read from its present place: a file is sent as it is
        read. ``content_type`` says what bytes are: ``application/json``, ``application/x-ndjson``, ``text/csv`` or
        ``application/vnd.apache.parquet``. Keep the address: it also works after a restart of your program. With the same
        ``idempotency_key``, such as the name of the night, a repeated submission gives the same job.
        """
        if isinstance(body, (list, tuple)):
            body = b"".join(_encode(record) + b"\n" for record in body)
        name = str(uuid.uuid4())
        headers = self._headers("POST", content_type, name)
        headers["Idempotency-Key"] = idempotency_key or name
        with self._step("POST", f"{self._path}/jobs?to={to}", headers, body, (202,), None) as response:
            location = response.getheader("Content-Location")
            if location is None:
                raise _unusable(response, "The answer does not say where the job is.")
            return str(location)

    def wait(self, job: str, on_progress: Optional[Callable[[int, Optional[int]], None]] = None) -> Dict[str, Any]:
        """Wait until a job is done, and return what it says of its results. Raises ``JobFailedError`` where it failed.

        ``on_progress`` is called with the number of records that are answered, and with all of them where that is known:
        ``job_bar`` prints a bar.
        """
        headers = self._headers("GET", "application/json", str(uuid.uuid4()))
        while True:
            with self._step("GET", self._place(job), headers, None, (200, 202), self._timeout) as response:
                answer = json.loads(response.read())
                wait = _seconds_of(response.getheader("Retry-After"))
            if answer["state"] == "done":
                if on_progress is not None:
                    on_progress(answer["records"], answer["records"])
                return cast(Dict[str, Any], answer)
            if answer["state"] == "failed":
                raise JobFailedError(answer)
            if on_progress is not None:
                on_progress(answer["done"], answer["total"])
            time.sleep(min(max(wait, 0.1), _LONGEST_WAIT_S))

    def download(self, url: str, target: Any) -> None:
        """Write a file of a job, by its ``url`` in the answer of ``wait``, to a binary file that is open for writing."""
        headers = self._headers("GET", "application/json", str(uuid.uuid4()))
        with self._step("GET", self._place(url), headers, None, (200,), self._timeout) as response:
            for piece in iter(lambda: response.read(_PIECE_BYTES), b""):
                target.write(piece)

    def delete_job(self, job: str) -> None:
        """End a job where it is under way, and erase what the service has of it. Call it when the results are fetched."""
        headers = self._headers("DELETE", "application/json", str(uuid.uuid4()))
        with self._step("DELETE", self._place(job), headers, None, (202, 404), self._timeout):
            pass

    def _place(self, address: str) -> str:
        """What a request line says of an address that the service has named."""
        parts = urlsplit(address)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        if self._proxy is None or self._is_tls:
            return path
        origin = urlsplit(self._path)
        return f"{origin.scheme}://{origin.netloc}{path}"

    @contextlib.contextmanager
    def _step(
        self,
        method: str,
        path: str,
        headers: Dict[str, str],
        body: Any,
        accepts: Tuple[int, ...],
        timeout: Optional[float],
    ) -> Iterator[http.client.HTTPResponse]:
        """One step of a job, sent again where it may have been lost. A file is read again from where it stood."""
        start = body.tell() if hasattr(body, "tell") else None
        attempt = 0
        while True:
            connection = self._connect(timeout)
            try:
                retry_after: Optional[str] = None
                try:
                    if start is not None:
                        body.seek(start)
                    connection.request(method, path, body, headers, encode_chunked=start is not None)
                    response = connection.getresponse()
                    if response.status in accepts:
                        break
                    content = response.read()
                    if response.status not in _RETRIED or attempt >= self._retries:
                        raise _error_of(response.status, response.getheader, content)
                    retry_after = response.getheader("Retry-After")
                except (OSError, http.client.HTTPException):
                    if attempt >= self._retries:
                        raise
                connection.close()
                time.sleep(_wait_seconds(attempt, retry_after))
                attempt += 1
            except BaseException:
                connection.close()
                raise
        try:
            yield response
        finally:
            connection.close()

    def _in_batches(self, call: str, records: Sequence[Any], request_id: Optional[str]) -> List[Any]:
        _refuse_single(records)
        results: List[Any] = [None] * len(records)
        batches = list(_batches(records, self._read_limits()))
        base = request_id or str(uuid.uuid4())
        for number, (body, positions) in enumerate(batches, 1):
            name = base if len(batches) == 1 else f"{base}.{number}"
            answer = self._request("POST", self._path + call, name, body, len(positions))
            for position, result in zip(positions, answer):
                results[position] = result
        return results

    def _read_limits(self) -> Tuple[int, int]:
        if self._limits is None:
            model = self._request("GET", self._path + "/model", str(uuid.uuid4()), None, None)
            limits = model["deployment"]["limits"]
            self._limits = (limits["records"], limits["bytes"])
        return self._limits

    def _request(self, method: str, path: str, request_id: str, body: Optional[bytes], count: Optional[int]) -> Any:
        """``count`` is the number of results to expect. Retries reuse the request id.

        Scoring changes nothing, and outcomes have a key, so a request whose answer was lost may be sent again.
        """
        headers = self._headers(method, "application/json", request_id)
        if path.endswith("/outcomes"):
            headers["Idempotency-Key"] = request_id
        attempt = 0
        while True:
            retry_after: Optional[str] = None
            try:
                connection = self._connect(self._timeout)
                try:
                    connection.request(method, path, body, headers)
                    response = connection.getresponse()
                    content = response.read()
                finally:
                    connection.close()
                if response.status == 200:
                    answer = _answer_in(response, content, count)
                    self._note_answer(response, method == "POST" and not path.endswith("/outcomes"))
                    return answer
                if response.status not in _RETRIED or attempt >= self._retries:
                    raise _error_of(response.status, response.getheader, content)
                retry_after = response.getheader("Retry-After")
            except (OSError, http.client.HTTPException):
                if attempt >= self._retries:
                    raise
            time.sleep(_wait_seconds(attempt, retry_after))
            attempt += 1

    def _connect(self, timeout: Optional[float]) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._is_tls else http.client.HTTPConnection
        if self._proxy is None:
            return kind(self._host, self._port, timeout=timeout)
        connection = kind(self._proxy.hostname or "", self._proxy.port or 80, timeout=timeout)
        if self._is_tls:
            connection.set_tunnel(self._host, self._port, _proxy_headers(self._proxy))
        return connection

    def _headers(self, method: str, content_type: str, request_id: str) -> Dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self._key}",
            "Content-Type": content_type,
            "X-Request-Id": request_id,
        }
        if self._proxy is not None and not self._is_tls:
            headers.update(_proxy_headers(self._proxy))
        if method == "POST" and self._if_match is not None:
            # HTTP writes a tag as the base64 text in quotes.
            headers["If-Match"] = '"' + re.sub(r"^sha-256=:(.*):$", r"\1", self._if_match) + '"'
        return headers

    def _note_answer(self, response: http.client.HTTPResponse, is_scored: bool) -> None:
        self.deployment_digest = response.getheader(_DIGEST) or self.deployment_digest
        # Only an answer with records says whether an alarm is open, and what is in doubt.
        if is_scored:
            self.calibration_alarm = response.getheader(_ALARM)
            self.feed_doubt = response.getheader(_DOUBT)


def _send_lines(
    connection: http.client.HTTPConnection,
    records: Iterable[PatientRecord],
    failure: List[BaseException],
    sent: List[int],
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
            sent[0] += 1
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


def _refuse_single(records: Any) -> None:
    if isinstance(records, (dict, str, bytes)):
        raise TypeError("the records are given as a list, also a single one: [record]")


def _proxy_of(parts: SplitResult) -> Optional[SplitResult]:
    """The proxy that the environment names for an address."""
    host = parts.hostname or ""
    if proxy_bypass(f"{host}:{parts.port}" if parts.port else host):
        return None
    proxy = getproxies().get(parts.scheme)
    if not proxy:
        return None
    return urlsplit(proxy if "://" in proxy else "http://" + proxy)


def _proxy_headers(proxy: SplitResult) -> Dict[str, str]:
    if proxy.username is None:
        return {}
    words = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(words.encode()).decode()}


def _answer_in(response: http.client.HTTPResponse, content: bytes, count: Optional[int]) -> Any:
    """Results belong to records by their place, so a list of another length cannot be used at all."""
    _refuse_page(response)
    try:
        answer = json.loads(content)
    except ValueError:
        raise _unusable(response, "The answer is cut off or is not JSON.") from None
    if count is None:
        if not isinstance(answer, dict) or "deployment" not in answer:
            raise _unusable(response, "The answer is no model card.")
    elif not isinstance(answer, list) or len(answer) != count:
        found = f"{len(answer)} results" if isinstance(answer, list) else "no list of results"
        raise _unusable(response, f"The answer has {found} for {count} records, so none is used.")
    return answer


def _refuse_page(response: http.client.HTTPResponse) -> None:
    """An answer with 200 may be a page of a proxy, for example one to sign in."""
    if "json" not in (response.getheader("Content-Type") or ""):
        raise _unusable(response, _FROM_A_PROXY + " It is not JSON.")


def _cut(response: Any, results: int) -> RiskServiceError:
    return _unusable(response, f"The stream was cut off after {results} results.")


def _unusable(response: Any, detail: str) -> RiskServiceError:
    return RiskServiceError(_own_problem(response.status, response.getheader, detail))


def _wait_seconds(attempt: int, retry_after: Optional[str]) -> float:
    """How long to wait before another attempt. What Retry-After asks for is kept, up to a minute."""
    wait = max(_FIRST_WAIT_S * 2.0**attempt, _seconds_of(retry_after))
    return min(wait, _LONGEST_WAIT_S) * (1 + _JITTER * random.random())


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
    return _own_problem(status, header, _FROM_A_PROXY)


def _own_problem(status: int, header: Any, detail: str) -> Problem:
    return {
        "type": "about:blank",
        "title": "",
        "status": status,
        "detail": detail,
        "instance": header("X-Request-Id") or "",
        "code": "INTERNAL",
    }
