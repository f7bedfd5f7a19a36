#!/usr/bin/env python3
"""A second implementation of Signature Version 4, to hold the one in sigv4/ against.

It shares nothing with the library but the published rules, and works the other way round where it can: on whole strings
with regular expressions and urllib, no sizes, no caches.

  sigv4_reference.py check FOLDER   recompute every case below FOLDER and compare with its files
  sigv4_reference.py write FOLDER   write the expected files of every case (after adding a request.txt and context.json)
"""
import hashlib
import hmac
import json
import pathlib
import re
import sys
from urllib.parse import quote, unquote_to_bytes

UNRESERVED = "-_.~"
LEFT_OUT = {"authorization", "connection", "expect", "proxy-authorization", "transfer-encoding", "upgrade",
            "user-agent", "x-amzn-trace-id"}


def sha256_hex(data):
    return hashlib.sha256(data).hexdigest()


class Case:
    """request.txt and context.json of one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.context = json.loads((folder / "context.json").read_text(encoding="utf-8"))
        text = (folder / "request.txt").read_bytes().decode("utf-8").replace("\r\n", "\n")
        head, separator, body = text.partition("\n\n")
        self.body = body.encode("utf-8") if separator else b""
        request_line, *header_lines = re.split(r"\n(?![ \t])", head.rstrip("\n"))
        self.method, rest = request_line.split(" ", 1)
        target = rest.rsplit(" ", 1)[0]
        self.path, mark, query = target.partition("?")
        self.query = query if mark else ""
        self.headers = [tuple(line.split(":", 1)) for line in header_lines]

    def option(self, name, default=None):
        return self.context.get(name, default)


def canonical_path(case):
    path = case.path or "/"
    if case.option("path_rule") == "s3":
        parts = re.split(r"(%[0-9A-Fa-f]{2})", path)
        return "".join(part if i % 2 else quote(part, safe="/" + UNRESERVED) for i, part in enumerate(parts))
    if case.option("normalize", False):
        kept = []
        for segment in path.split("/"):
            if segment == "..":
                del kept[-1:]
            elif segment not in ("", "."):
                kept.append(segment)
        ends_in_slash = path.endswith("/") and kept
        path = "/" + "/".join(kept) + ("/" if ends_in_slash else "")
    return quote(path, safe="/" + UNRESERVED)


def canonical_query(pairs):
    return "&".join(f"{name}={value}" for name, value in sorted(pairs, key=lambda p: (p[0].encode(), p[1].encode())))


def query_pairs(query):
    pairs = []
    for part in query.split("&"):
        if part:
            name, _, value = part.partition("=")
            pairs.append((quote(unquote_to_bytes(name), safe=UNRESERVED), quote(unquote_to_bytes(value), safe=UNRESERVED)))
    return pairs


def canonical_headers(headers):
    values = {}
    for name, value in headers:
        values.setdefault(name.lower(), []).append(" ".join(re.split(r"[ \t\r\n]+", value.strip(" \t\r\n"))))
    lines = "".join(f"{name}:{','.join(values[name])}\n" for name in sorted(values))
    return lines, ";".join(sorted(values))


def sign(case, form):
    """The texts of the four stages."""
    context = case.context
    credentials = context["credentials"]
    token = credentials.get("token")
    token_is_signed = token and not context.get("omit_session_token", False)
    time = re.sub(r"[-:]", "", context["timestamp"])
    scope = "/".join((time[:8], context["region"], context["service"], "aws4_request"))
    payload_hash = context.get("signed_body_value") or sha256_hex(case.body)

    added = []
    if form == "header":
        if token:
            added.append(("X-Amz-Security-Token", token))
        added.append(("X-Amz-Date", time))
    if context.get("sign_body") and (form == "header" or "signed_body_value" in context):
        added.append(("X-Amz-Content-Sha256", payload_hash))
    signed = [h for h in case.headers if h[0].lower() not in LEFT_OUT]
    signed += [h for h in added if token_is_signed or h[0] != "X-Amz-Security-Token"]
    header_lines, signed_headers = canonical_headers(signed)

    pairs = query_pairs(case.query)
    own = []
    if form == "query":
        own = [("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
               ("X-Amz-Credential", credentials["access_key_id"] + "/" + scope),
               ("X-Amz-Date", time),
               ("X-Amz-SignedHeaders", signed_headers),
               ("X-Amz-Expires", str(context.get("expiration_in_seconds", 3600)))]
        if token:
            own.append(("X-Amz-Security-Token", token))
        own = [(name, quote(value, safe=UNRESERVED)) for name, value in own]
        pairs += [p for p in own if token_is_signed or p[0] != "X-Amz-Security-Token"]

    canonical_request = "\n".join((case.method, canonical_path(case), canonical_query(pairs), header_lines, signed_headers,
                                   payload_hash))
    string_to_sign = "\n".join(("AWS4-HMAC-SHA256", time, scope, sha256_hex(canonical_request.encode("utf-8"))))
    key = ("AWS4" + credentials["secret_access_key"]).encode("utf-8")
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode("utf-8"), "sha256")
    signature = hmac.digest(key, string_to_sign.encode("utf-8"), "sha256").hex()

    query = case.query
    if form == "query":
        query += ("&" if query else "") + "&".join(f"{n}={v}" for n, v in own + [("X-Amz-Signature", signature)])
    else:
        added.append(("Authorization", f"AWS4-HMAC-SHA256 Credential={credentials['access_key_id']}/{scope}, "
                                       f"SignedHeaders={signed_headers}, Signature={signature}"))
    signed_request = f"{case.method} {case.path}{'?' if query else ''}{query} HTTP/1.1\n"
    signed_request += "".join(f"{name}:{value}\n" for name, value in case.headers + added) + "\n"
    signed_request += case.body.decode("utf-8")
    return {"canonical-request": canonical_request, "string-to-sign": string_to_sign, "signature": signature,
            "signed-request": signed_request}


def stages(case):
    for form in ("header", "query"):
        for stage, text in sign(case, form).items():
            yield f"{form}-{stage}.txt", text


def normal_form(name, text):
    """Signed requests are compared without the order and case of their headers, everything without its last line ends."""
    text = text.rstrip("\r\n")
    if not name.endswith("signed-request.txt"):
        return text
    head, _, body = text.partition("\n\n")
    first, *lines = re.split(r"\n(?![ \t])", head)
    pairs = sorted((line.partition(":")[0].lower(), line.partition(":")[2]) for line in lines)
    return first, pairs, body


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("check", "write"):
        sys.exit(__doc__)
    folders = sorted(path.parent for path in pathlib.Path(sys.argv[2]).rglob("request.txt"))
    compared = failed = 0
    for folder in folders:
        for name, text in stages(Case(folder)):
            if sys.argv[1] == "write":
                (folder / name).write_bytes(text.encode("utf-8"))
                continue
            path = folder / name
            expected = path.read_bytes().decode("utf-8").replace("\r\n", "\n") if path.exists() else None
            compared += 1
            if expected is None or normal_form(name, expected) != normal_form(name, text):
                failed += 1
                print(f"FAILED second implementation: {folder.name}/{name}")
    if sys.argv[1] == "check":
        print(f"second implementation: {len(folders)} cases, {compared} stages recomputed, {failed} differ")
    sys.exit(1 if failed or not folders else 0)


if __name__ == "__main__":
    main()
