# PORT=8080 FACTEUR_WEBHOOK_SECRET=whsec_… python3 receiver.py
import hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["FACTEUR_WEBHOOK_SECRET"].encode()
seen = set()  # yours: a table whose key is the event's id


def is_genuine(header: str, body: bytes) -> bool:
    parts = [part.split("=", 1) for part in header.split(",") if "=" in part]
    at = next((value for name, value in parts if name == "t"), "")
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    expected = hmac.new(SECRET, at.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(value, expected) for name, value in parts)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(self.headers.get("Service-Signature", ""), body)
        if genuine:
            event = json.loads(body)
            if event["id"] not in seen:
                seen.add(event["id"])
                print(event["id"], event["type"], flush=True)
        self.send_response(204 if genuine else 400)
        self.send_header("Content-Length", "0")
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
