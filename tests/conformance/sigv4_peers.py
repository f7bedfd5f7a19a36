#!/usr/bin/env python3
"""Holds the project's signing vectors against the signers of others, those of them that are installed: the AWS common
runtime (awscrt) and botocore (also as awscli.botocore). Not a part of the test run: it is for whoever adds a vector.

  sigv4_peers.py FOLDER

A case that a signer cannot express (botocore unfolds no headers, normalises every path, …) is told as such; where signers
answer differently from the vector, both answers are shown, for a person to judge.
"""
import datetime
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sigv4_reference import Case, sign, LEFT_OUT  # noqa: E402


def moment(case):
    return datetime.datetime.strptime(case.context["timestamp"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)


def with_awscrt(case, form):
    import io
    from awscrt import auth, http
    context, credentials = case.context, case.context["credentials"]
    target = case.path + ("?" + case.query if case.query else "")
    request = http.HttpRequest(case.method, target, http.HttpHeaders(case.headers), io.BytesIO(case.body))
    header_type = auth.AwsSignedBodyHeaderType.NONE
    if context.get("sign_body") and (form == "header" or "signed_body_value" in context):
        header_type = auth.AwsSignedBodyHeaderType.X_AMZ_CONTENT_SHA_256
    config = auth.AwsSigningConfig(
        algorithm=auth.AwsSigningAlgorithm.V4,
        signature_type=(auth.AwsSignatureType.HTTP_REQUEST_HEADERS if form == "header"
                        else auth.AwsSignatureType.HTTP_REQUEST_QUERY_PARAMS),
        credentials_provider=auth.AwsCredentialsProvider.new_static(
            credentials["access_key_id"], credentials["secret_access_key"], credentials.get("token")),
        region=context["region"], service=context["service"], date=moment(case),
        use_double_uri_encode=context.get("path_rule") != "s3",
        should_normalize_uri_path=context.get("normalize", False),
        signed_body_value=context.get("signed_body_value"),
        signed_body_header_type=header_type,
        expiration_in_seconds=context.get("expiration_in_seconds", 3600) if form == "query" else None,
        omit_session_token=context.get("omit_session_token", False))
    signed = auth.aws_sign_request(request, config).result(10)
    if form == "header":
        return signed.headers.get("Authorization").rpartition("Signature=")[2]
    return signed.path.rpartition("X-Amz-Signature=")[2][:64]


def with_botocore(case, form):
    try:
        import botocore.session  # first, since its parts import each other
        from botocore import auth, awsrequest, credentials as keys
    except ImportError:
        import awscli.botocore.session
        from awscli.botocore import auth, awsrequest, credentials as keys
    context, credentials = case.context, case.context["credentials"]
    if form == "query" or context.get("omit_session_token") or context.get("sign_body"):
        return None
    if context.get("path_rule") == "s3" or not context.get("normalize"):
        return None
    if len({name.lower() for name, _ in case.headers}) != len(case.headers):
        return None
    # botocore takes a query that is encoded already and signs it as it is.
    if not re.fullmatch(r"([\w.~-]+=[\w.~-]*(&(?!$)|$))*", case.query, re.ASCII):
        return None
    host = dict((n.lower(), v) for n, v in case.headers)["host"]
    url = f"https://{host}{case.path}" + ("?" + case.query if case.query else "")
    request = awsrequest.AWSRequest(case.method, url, headers=dict(case.headers), data=case.body)
    signer = auth.SigV4Auth(keys.Credentials(credentials["access_key_id"], credentials["secret_access_key"],
                                             credentials.get("token")), context["service"], context["region"])
    request.context["timestamp"] = moment(case).strftime("%Y%m%dT%H%M%SZ")
    for name in [n for n in request.headers if n.lower() in LEFT_OUT]:
        del request.headers[name]
    signer._modify_request_before_signing(request)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    return signer.signature(text, request)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    totals = {}
    for folder in sorted(path.parent for path in pathlib.Path(sys.argv[1]).rglob("request.txt")):
        case = Case(folder)
        for form in ("header", "query"):
            expected = sign(case, form)["signature"]
            for name, signer in (("awscrt", with_awscrt), ("botocore", with_botocore)):
                total = totals.setdefault(name, {"agree": 0, "differ": 0, "not expressed": 0, "refused": 0})
                try:
                    answer = signer(case, form)
                except ImportError:
                    continue
                except Exception as error:  # a signer of others may refuse in any way
                    total["refused"] += 1
                    print(f"{name} refuses {folder.name} ({form}): {error!r}"[:200])
                    continue
                kind = "not expressed" if answer is None else "agree" if answer == expected else "differ"
                total[kind] += 1
                if kind == "differ":
                    print(f"{name} differs: {folder.name} ({form}): {answer} for {expected}")
    for name, total in totals.items():
        print(name + ": " + ", ".join(f"{count} {kind}" for kind, count in total.items()))


if __name__ == "__main__":
    main()
