"""Reads mails with Python's own strict parser: a JSON array of base64 on stdin, a JSON array of what was seen on stdout."""
import base64
import json
import sys
from email import message_from_bytes, message_from_string, policy

OURS = ("From", "To", "Cc", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type", "Content-Transfer-Encoding")


def addresses(header):
    return [{"name": "".join(a.display_name.split()), "username": a.username, "domain": a.domain} for a in header.addresses]


def see_leaf(part):
    content = part.get_payload(decode=True)
    is_body = part.get_content_disposition() is None
    return {
        "type": part.get_content_type(),
        "disposition": part.get_content_disposition(),
        "filename": part["content-disposition"].params.get("filename") if "content-disposition" in part else None,
        "contentId": part["content-id"],
        "content": content.decode().replace("\r\n", "\n").removesuffix("\n") if is_body else base64.b64encode(content).decode(),
    }


def see(raw):
    ascii_only = all(octet < 128 for octet in raw)
    # RFC 6532 headers: this parser takes them from text only.
    mail = message_from_bytes(raw, policy=policy.strict) if ascii_only else message_from_string(raw.decode(), policy=policy.strict)
    defects = []
    for part in mail.walk():
        defects += [repr(defect) for defect in part.defects]
        for name, value in part.items():
            defects += [f"{name}: {defect!r}" for defect in value.defects]
    return {
        "names": mail.keys(),
        "headers": [str(value).lstrip(" ") for name, value in mail.items() if name not in OURS],
        "from": addresses(mail["from"]),
        "to": addresses(mail["to"]),
        "cc": addresses(mail["cc"]) if "cc" in mail else [],
        "replyTo": addresses(mail["reply-to"]) if "reply-to" in mail else [],
        "subject": str(mail["subject"]),
        "date": int(mail["date"].datetime.timestamp()),
        "parts": [see_leaf(part) for part in mail.walk() if not part.is_multipart()],
        "defects": defects,
    }


def main():
    sightings = []
    for encoded in json.load(sys.stdin):
        try:
            sightings.append(see(base64.b64decode(encoded)))
        except Exception as problem:  # told to the test, which fails on it
            sightings.append({"error": repr(problem)})
    json.dump(sightings, sys.stdout)


main()
