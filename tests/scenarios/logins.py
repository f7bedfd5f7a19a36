#!/usr/bin/env python3
"""Where logins come from, as a small server for scenarios: STS's AssumeRole, the SSO portal and OIDC, instance metadata, a container's
endpoint. All of them hand out one session of gluesim's. Everything else goes on to gluesim as it came, which checks its signature.

usage: logins.py SIM_URL CALLS_FILE    prints "listening on URL"; ends when standard input does"""
import http.client
import http.server
import json
import sys
import threading
import time
import urllib.parse

KEYS = {"id": "ASIASESSION00000001", "secret": "session/secret/of/gluesim/nothing/else00", "token": "SESSIONTOKEN"}
SIM = urllib.parse.urlparse(sys.argv[1])
LIFE = 3600


def iso(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def note(self, text):
        with open(sys.argv[2], "a", encoding="utf-8") as calls:
            calls.write(text + "\n")

    def reply(self, status, body, kind="application/json"):
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def forward(self, body):
        sim = http.client.HTTPConnection(SIM.hostname, SIM.port, timeout=20)
        sim.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            sim.putheader(name, value)
        sim.endheaders(body)
        answer = sim.getresponse()
        self.note("forwarded")
        self.reply(answer.status, answer.read(), answer.getheader("Content-Type", "text/plain"))

    def assume(self, form):
        action = form["Action"][0]
        signer = self.headers.get("Authorization", "nobody")
        signer = signer.split("Credential=")[1].split("/")[0] if "Credential=" in signer else "nobody"
        self.note(f"{action} {form['RoleArn'][0].split('/')[-1]} by {signer}"
                  + (" code " + form["TokenCode"][0] if "TokenCode" in form else ""))
        self.reply(200, f"<{action}Response><{action}Result><Credentials><AccessKeyId>{KEYS['id']}</AccessKeyId><SecretAccessKey>"
                   f"{KEYS['secret']}</SecretAccessKey><SessionToken>{KEYS['token']}</SessionToken><Expiration>{iso(LIFE)}</Expiration>"
                   f"</Credentials></{action}Result></{action}Response>", "text/xml")

    def machine_keys(self):
        return json.dumps({"Code": "Success", "AccessKeyId": KEYS["id"], "SecretAccessKey": KEYS["secret"], "Token": KEYS["token"],
                           "Expiration": iso(LIFE)})

    def do_GET(self):
        path = self.path
        if path.startswith("/federation/credentials"):
            bearer = self.headers.get("x-amz-sso_bearer_token")
            self.note(f"GetRoleCredentials with {bearer}")
            if bearer != "GOODTOKEN":
                self.reply(401, json.dumps({"message": "Session token not found or invalid"}))
                return
            self.reply(200, json.dumps({"roleCredentials": {
                "accessKeyId": KEYS["id"], "secretAccessKey": KEYS["secret"], "sessionToken": KEYS["token"],
                "expiration": int((time.time() + LIFE) * 1000)}}))
        elif path.startswith("/latest/") and self.headers.get("x-aws-ec2-metadata-token") != "IMDSTOKEN":
            self.reply(401, "")
        elif path == "/latest/meta-data/iam/security-credentials/":
            self.note("role")
            self.reply(200, "role-a\n", "text/plain")
        elif path == "/latest/meta-data/iam/security-credentials/role-a":
            self.note("keys of role-a")
            self.reply(200, self.machine_keys())
        elif path == "/latest/meta-data/placement/region":
            self.note("region")
            self.reply(200, "eu-west-1", "text/plain")
        elif path == "/container?x=1":
            self.note(f"container with {self.headers.get('Authorization')}")
            self.reply(200, self.machine_keys())
        else:
            self.reply(404, "")

    def do_PUT(self):
        self.note("metadata token")
        self.reply(200, "IMDSTOKEN", "text/plain")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == "/token":
            self.note("refresh")
            self.reply(200, json.dumps({"accessToken": "GOODTOKEN", "expiresIn": 28800, "refreshToken": "NEXTREFRESH"}))
            return
        form = urllib.parse.parse_qs(body.decode("latin-1"))
        if form.get("Action", [""])[0].startswith("AssumeRole"):
            self.assume(form)
        else:
            self.forward(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
