# PORT=8080 FACTEUR_WEBHOOK_SECRET=whsec_… python3 receiver.py
import hashlib, hmac, os, time
from flask import Flask, abort, request

SECRET = os.environ["FACTEUR_WEBHOOK_SECRET"].encode()
seen = set()  # yours: a table whose key is the event's id
app = Flask(__name__)


def is_genuine(header: str, body: bytes) -> bool:
    parts = [part.split("=", 1) for part in header.split(",") if "=" in part]
    at = next((value for name, value in parts if name == "t"), "")
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    expected = hmac.new(SECRET, at.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(value, expected) for name, value in parts)


@app.post("/hooks/facteur")
def receive():
    # The signature is over the bytes: get_data(), before anything parses them.
    if not is_genuine(request.headers.get("Service-Signature", ""), request.get_data()):
        abort(400)
    event = request.get_json()
    if event["id"] not in seen:
        seen.add(event["id"])
        print(event["id"], event["type"], flush=True)
    return "", 204


if __name__ == "__main__":
    app.run(port=int(os.environ["PORT"]))
