"""Verifies every DKIM signature of the mail on standard input by dkimpy; prints each one's algorithm and whether it passes."""
import json
import sys

import dkim

mail = dkim.DKIM(sys.stdin.buffer.read())
found = [value for name, value in mail.headers if name.lower() == b"dkim-signature"]
results = []
for at, value in enumerate(found):
    tags = dkim.util.parse_tag_value(value)
    results.append({"algorithm": tags[b"a"].decode(), "domain": tags[b"d"].decode(), "passes": mail.verify(idx=at)})
print(json.dumps(results))
