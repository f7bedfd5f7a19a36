"""A Glue endpoint that nobody of this project would write, for the scenario of servers that are not ours.

usage: odd_server.py [QUIRK]...     prints "listening on http://127.0.0.1:PORT", then serves until its input ends

It checks no signature, sends pages of odd sizes in shuffled order, empty pages with tokens, numbers in every form of JSON, members and
states that nobody knows, and answers with whatever headers Python sends. Quirks:
  only-list    GetJobs and GetTriggers do not exist
  repeat       the last page of runs carries the token that led to it
  no-sts       STS does not exist
  silent       GetJobRuns of job-02 is never answered
"""
import json
import random
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

QUIRKS = set(sys.argv[1:])
NOW = 1796040000
NAMES = ["job-%02d" % i for i in range(7)] + ["日次 集計", "with/slash and blank", "ümläut\u0301"]
STATES = ["SUCCEEDED", "FAILED", "TIMEOUT", "STOPPED", "ERROR", "EXPIRED", "PONDERING"]
SIZES = [1, 3, 0, 2, 7, 0, 0, 5, 11]
order = random.Random(7)


def job(name):
    return {"Name": name, "Command": {"Name": "glueetl", "Colour": "green"}, "MaxCapacity": 2.0, "Timeout": 6E1,
            "WorkerType": "Q.9X", "NumberOfWorkers": 2.0, "CreatedOn": "1.79E9" if name == "job-01" else 1.79E9, "Unheard": [1, {"of": None}]}


def runs(name):
    out = [{"Id": "jr_%s_%d" % (NAMES.index(name), i), "JobName": name, "StartedOn": float(NOW - 3600 * i) if i % 2 else NOW - 3600 * i,
            "JobRunState": STATES[i % len(STATES)], "ExecutionTime": i, "CompletedOn": NOW - 3600 * i + 60, "Attempt": 0,
            "WorkerType": "Q.9X", "Novelty": {"x": [True]}} for i in range(29)]
    random.Random(name).shuffle(out)
    return out


def page(items, token):
    """Pages of sizes that come in no order; a token is "page:first"."""
    number, first = (int(x) for x in token.split(":")) if token else (0, 0)
    size = SIZES[number % len(SIZES)]
    rest = items[first + size:]
    after = "%d:%d" % (number + 1, first + size) if rest else None
    if after is None and "repeat" in QUIRKS and token:
        after = token
    return items[first:first + size], after


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/x-amz-json-1.1", headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        target = self.headers.get("X-Amz-Target", "")
        if not target:
            if "no-sts" in QUIRKS:
                return self.answer(404, b"<html>nothing here</html>", "text/html")
            return self.answer(200, b"<GetCallerIdentityResponse xmlns='x'><GetCallerIdentityResult><Arn>arn:aws:iam::000000000000:root</Arn>"
                               b"<UserId>U</UserId><Account>000000000000</Account></GetCallerIdentityResult></GetCallerIdentityResponse>", "text/xml")
        operation = target.split(".")[-1]
        asked = json.loads(text or "{}")
        token = asked.get("NextToken")
        if "only-list" in QUIRKS and operation in ("GetJobs", "GetTriggers"):
            return self.answer(400, {"message": "no such operation"}, headers=[("x-amzn-ErrorType", "UnknownOperationException:http://x/")])
        if operation == "GetJobs":
            items, after = page([job(n) for n in NAMES], token)
            return self.answer(200, {"Jobs": items, "NextToken": after} if after else {"Jobs": items, "NextToken": ""})
        if operation == "ListJobs":
            items, after = page(NAMES, token)
            return self.answer(200, {"JobNames": items, "NextToken": after})
        if operation == "BatchGetJobs":
            return self.answer(200, {"Jobs": [job(n) for n in asked["JobNames"]], "JobsNotFound": []})
        if operation == "GetJob":
            return self.answer(200, {"Job": job(asked["JobName"])})
        if operation == "GetJobRuns":
            if "silent" in QUIRKS and asked["JobName"] == "job-02":
                self.server.never.wait()
            items, after = page(runs(asked["JobName"]), token)
            return self.answer(200, {"JobRuns": items, "NextToken": after} if after else {"JobRuns": items})
        if operation == "GetTriggers":
            return self.answer(200, {"Triggers": [{"Name": "odd", "Type": "WHENEVER", "State": "DREAMING"}]})
        return self.answer(400, {"__type": "UnknownOperationException"})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.never = threading.Event()
threading.Thread(target=server.serve_forever, daemon=True).start()
print("listening on http://127.0.0.1:%d" % server.server_address[1], flush=True)
sys.stdin.read()
