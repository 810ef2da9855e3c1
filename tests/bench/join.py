"""What ev2ledger does, by Python's json: events of an id joined, a row per request in order of issue.

    python3 join.py FILE
"""
import json
import sys

requests = {}
with open(sys.argv[1], "rb") as log:
    for line in log:
        event = json.loads(line)
        kind = event["event_type"]
        if kind == "sample.issued":
            requests[event["sample_uuid"]] = [event["timestamp_ns"], None, None, hash(event["data"][1]) if event["data"] else None]
        elif kind == "sample.recv_first":
            requests[event["sample_uuid"]][1] = event["timestamp_ns"]
        elif kind == "sample.complete":
            requests[event["sample_uuid"]][2] = event["timestamp_ns"]
for seq, (name, (issued, first, done, prompt)) in enumerate(requests.items()):
    ttft = first - issued if first is not None else ""
    e2e = done - issued if done is not None else ""
    print(name, seq, issued, first, done, ttft, e2e, prompt, sep="\t")
