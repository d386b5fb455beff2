"""Verifies DKIM signatures with dkimpy: {"keys": {name: record}, "mails": [base64]} on stdin; for each mail the verdict of each signature, in order."""
import base64
import json
import sys

import dkim

asked = json.load(sys.stdin)


def look_up(name, timeout=5):
    return asked["keys"].get(name.decode().rstrip("."), "").encode()


def verdict(verifier, index):
    try:
        return "pass" if verifier.verify(idx=index, dnsfunc=look_up) else "fail"
    except dkim.DKIMException as error:
        return str(error)


def verdicts(mail):
    verifier = dkim.DKIM(mail)
    count = sum(1 for name, _ in verifier.headers if name.lower() == b"dkim-signature")
    return [verdict(verifier, index) for index in range(count)]


json.dump([verdicts(base64.b64decode(mail)) for mail in asked["mails"]], sys.stdout)
