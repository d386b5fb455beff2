"""Calls Facteur with Resend's Python SDK as it comes, and prints one line of JSON for each step (see sdks.test.ts)."""

import json
import os

import resend


def step(name, call):
    try:
        print(json.dumps({"step": name, "answer": call()}))
    except resend.exceptions.ResendError as error:
        print(json.dumps({"step": name, "status": error.code, "code": error.error_type, "message": error.message}))


mail = {
    "from": "Boutique <hello@shop.test>",
    "to": ["camille@example.com"],
    "subject": "Commande n° 1042 ✓",
    "html": "<p>Bonjour</p>",
    "text": "Bonjour",
}

step(
    "send",
    lambda: [
        resend.Emails.send(
            {
                **mail,
                "reply_to": "answers@example.com",
                "headers": {"X-Order": "1042"},
                "tags": [{"name": "order", "value": "1042"}],
                "attachments": [
                    {"filename": "reçu.bin", "content": list(range(256))},
                    {"filename": "logo.png", "content": list(b"\x89PNG"), "content_id": "logo"},
                ],
            }
        )["id"]
    ],
)
step(
    "batch",
    lambda: [sent["id"] for sent in resend.Batch.send([mail, {**mail, "subject": "Second"}])["data"]],
)
read = lambda email: [email["id"], email["subject"], email["html"], email["text"]]
step("get", lambda: read(resend.Emails.get(resend.Emails.send(mail)["id"])))
step("bad address", lambda: [resend.Emails.send({**mail, "to": ["nobody"]})["id"]])
step("other domain", lambda: [resend.Emails.send({**mail, "from": "hello@elsewhere.test"})["id"]])
step("suppressed", lambda: [resend.Emails.send({**mail, "to": ["gone@example.com"]})["id"]])
step("bad batch", lambda: [resend.Batch.send([mail, {**mail, "to": ["nobody"]}])["data"][0]["id"]])
resend.api_key = os.environ["OTHER_KEY"]
step("wrong key", lambda: [resend.Emails.send(mail)["id"]])
