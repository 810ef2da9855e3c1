#!/usr/bin/env python3
"""A log and a server's file about it, with planted delays between two clocks, and what a join of them must give.

    serverside_oracle.py SEED N FOLDER

FOLDER then holds log (events), server.tsv and server.ndjson (the same rows, out of order), truth (ns to be added to a stamp
of the server), and want: the cells that the join has to add, with the delays by an offset that is found out here, in the
open, as the midpoint of what every request that was sent once allows."""
import json
import random
import sys

seed, n, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = random.Random(seed)
truth = rng.randint(-(2**60), 2**60)
base = rng.randint(0, 2**61)


def delay(floor):
    return floor + int(rng.expovariate(1 / 10 ** rng.randint(3, 7)))


events, server, rows = [], [], []
for i in range(n):
    name = f"r{rng.randrange(16**6):06x}-{i}"
    issued = base + i * 10**7 + rng.randrange(10**6)
    received = issued + delay(120_000)
    sent = received + rng.randrange(10**8)
    first = sent + delay(700_000)
    finished = sent + rng.randrange(10**9)
    done = max(first, finished + delay(700_000))
    failed, retried, known = rng.random() < 0.1, rng.random() < 0.1, rng.random() < 0.9
    if failed:  # given up while the server goes on
        done = max(first, finished - 10**8)
    events.append((issued, {"event_type": "sample.issued", "timestamp_ns": issued, "sample_uuid": name}))
    if retried:
        events.append((issued + 1000, {"event_type": "sample.issued", "timestamp_ns": issued + 1000, "sample_uuid": name}))
    events.append((first, {"event_type": "sample.recv_first", "timestamp_ns": first, "sample_uuid": name}))
    data = ["ErrorData", "timeout"] if failed else ["TextModelOutput", ["a", "b c"]]
    events.append((done, {"event_type": "sample.complete", "timestamp_ns": done, "sample_uuid": name, "data": data}))
    there = [received - truth, sent - truth if rng.random() < 0.9 else None, finished - truth]
    queue = round(rng.random() * 50, 3)
    if known:
        server.append({"received_ns": there[0], "request": name, "queue_ms": queue, "first_sent_ns": there[1],
                       "done_ns": there[2]})
    rows.append((issued, name, retried, failed, known, queue, (issued, first, done), there))
for i in range(3):
    server.append({"received_ns": i, "request": f"x{i}", "queue_ms": 1, "first_sent_ns": None, "done_ns": i})
rng.shuffle(server)

lower, upper = [], []
for _, _, retried, failed, known, _, here, there in rows:
    if known and not retried:
        lower.append(here[0] - there[0])
        if there[1] is not None:
            upper.append(here[1] - there[1])
        if not failed:
            upper.append(here[2] - there[2])
offset = (max(lower) + min(upper)) // 2
error = max(offset - max(lower), min(upper) - offset)
assert abs(offset - truth) <= error


def text(v):
    return "" if v is None else str(v)


with open(f"{folder}/log", "w") as f:
    for _, e in sorted(events, key=lambda e: e[0]):
        f.write(json.dumps(e) + "\n")
with open(f"{folder}/server.ndjson", "w") as f:
    for s in server:
        f.write(json.dumps(s) + "\n")
with open(f"{folder}/server.tsv", "w") as f:
    f.write("\t".join(server[0]) + "\n")
    for s in server:
        f.write("\t".join(map(text, s.values())) + "\n")
with open(f"{folder}/truth", "w") as f:
    f.write(f"{truth}\n")
with open(f"{folder}/want", "w") as f:
    for _, name, retried, failed, known, queue, here, there in sorted(rows):
        cells = [there[0], queue, there[1], there[2]] if known else [None] * 4
        net = [None] * 3
        if known and not retried:
            net[0] = there[0] + offset - here[0]
            net[1] = None if there[1] is None else here[1] - there[1] - offset
            net[2] = None if failed else here[2] - there[2] - offset
        f.write("\t".join([name] + [text(c) for c in cells + net]) + "\n")
    f.write(f"{offset} {error} {max(lower)} {min(upper)} {len(server)} {len(server) - 3} {n - len(server) + 3}\n")
