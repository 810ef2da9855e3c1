#!/usr/bin/env python3
"""A slow second reading of the rules of the join: events sorted by stamp, one request at a time.

    join_oracle.py FILE      the rows of the ledger: request seq tracked outcome and every column that the join decides
    join_oracle.py --random SEED N     a random log, its lines out of place by less than 0.9 s
"""
import json
import random
import sys

SLACK = 1_000_000_000
KINDS = {"issued": 2, "recv_first": 3, "recv_non_first": 3, "complete": 0, "error": 1}


def rows(lines):
    tracking, by_id, reissued = [], {}, 0
    for n, line in enumerate(lines):
        e = json.loads(line)
        kind = e["event_type"].split(".")
        if kind[0] == "session":
            if "tracking" in kind[1]:
                tracking.append((e["timestamp_ns"], n, kind[1].startswith("start")))
            continue
        kind = "error" if kind[0] == "error" else kind[1]
        by_id.setdefault(e["sample_uuid"], []).append((e["timestamp_ns"], KINDS[kind], n, kind, e))
    intervals, started = [], False
    for stamp, _, start in sorted(tracking):
        if start and not (intervals and intervals[-1][1] is None):
            intervals.append([stamp, None])
        elif not start and intervals and intervals[-1][1] is None:
            intervals[-1][1] = stamp
        elif not start and not started:
            intervals.append([float("-inf"), stamp])
        started = True
    out = []
    for rid, events in by_id.items():
        issued = [s for s, _, _, k, _ in events if k == "issued"]
        if not issued:
            continue
        first_issue = min(issued)
        tracked = not tracking or any(a <= first_issue and (b is None or first_issue <= b) for a, b in intervals)
        r = request(sorted(events, key=lambda x: x[:3]))
        reissued += r.pop("reissued")
        r.update(request=rid, issued=first_issue, tracked=int(tracked))
        out.append(r)
    out.sort(key=lambda r: (not r["tracked"], r["issued"], r["request"].encode()))
    for i, r in enumerate(out):
        r["seq"] = i if r["tracked"] else None
    return out, reissued


def request(events):
    attempts, ignored, reissued, dup = 0, False, 0, False
    last_send = done = reply = error = error_at = None
    chunks, logged = [], False
    for stamp, _, _, kind, e in events:
        failed = error is not None or (reply or {}).get("error") is not None
        if kind == "issued":
            if attempts == 0:
                attempts = 1
            elif done is not None and not failed:
                reissued += 1
                ignored = True
            else:
                attempts += 1
                last_send = stamp
                done = reply = error = error_at = None
                chunks, logged = [], False
        elif kind == "complete":
            if done is not None:
                dup = True
                continue
            done = stamp
            data = e.get("data")
            reply = {"tokens": e.get("output_tokens"), "error": None, "finish": e.get("finish_reason")}
            if data and data[0] == "ErrorData":
                reply["error"] = data
            elif data:
                reply["data"] = data
        elif kind == "error":
            if not ignored and error is None:
                error, error_at = e.get("data") or ["ErrorData"], stamp
        elif not ignored:
            chunks.append(stamp)
            logged |= kind == "recv_non_first"
    end = (reply or {}).get("error")
    cause = end if end and (any(end[1:2]) or error is None) else error
    outcome = "unfinished" if done is None else "completed"
    if cause:
        outcome = "rejected" if len(cause) > 2 and cause[2] == "503" else "error"
        done = error_at if done is None else done
    r = dict(outcome=outcome, reissued_ns=last_send, done=done, attempts=attempts, reissued=reissued,
             first=min(chunks) if chunks else None, dup=dup, error=cause[1] if cause and len(cause) > 1 else None,
             finish=(reply or {}).get("finish"))
    one = False
    if outcome == "completed" and reply.get("data"):
        data = reply["data"][1]
        one = not any(data[1:]) if isinstance(data, list) else not chunks
    all_logged = logged or (len(chunks) == 1 and one)
    r["chunks"] = len(chunks) if all_logged else None
    r["last"] = max(chunks) if all_logged else None
    gaps = [b - a for a, b in zip(sorted(chunks), sorted(chunks)[1:])]
    r["gap"] = max(gaps) if all_logged and gaps and outcome == "completed" else None
    r["tokens"] = reply["tokens"] if outcome == "completed" else None
    r["tail"] = None if r["tokens"] is None else 0 if one or r["tokens"] <= 1 else r["tokens"] - 1
    return r


def random_log(seed, n):
    rnd = random.Random(seed)
    lines = [(0, {"event_type": "session.started", "timestamp_ns": 0})]
    if rnd.random() < .7:
        lines.append((0, {"event_type": "session.start_performance_tracking", "timestamp_ns": rnd.choice([1, SLACK])}))
    if rnd.random() < .5:
        stop = (n - 3) * SLACK // 10
        lines.append((stop, {"event_type": "session.stop_performance_tracking", "timestamp_ns": stop}))
    chunk_log = rnd.random() < .5

    def add(kind, stamp, rid, **more):
        lines.append((stamp, dict({"event_type": kind, "timestamp_ns": stamp, "sample_uuid": rid}, **more)))

    for i in range(n):
        t, rid = rnd.choice([i, i - i % 4]) * SLACK // 10, "r%d" % rnd.randrange(10 ** 6)
        failed, tries = True, rnd.choice([1, 1, 1, 2, 3])
        while tries > 0 and (failed or rnd.random() < .03):
            tries -= 1
            add("sample.issued", t, rid, data=None)
            if rnd.random() < .1:
                t += rnd.randrange(1000) * 10 ** 6
                continue
            for c in range(rnd.randrange(4)):
                t += rnd.choice([0, 1, 50, 300]) * 10 ** 6
                add("sample.recv_non_first" if c and chunk_log else "sample.recv_first" if c == 0 else "sample.recv_first", t, rid)
                if not chunk_log:
                    break
            t += rnd.choice([-1, 0, 0, 5, 400, 900]) * 10 ** 6
            fate = rnd.random()
            failed = rnd.random() < .3
            if failed and fate < .7:
                add("error.generic", t - rnd.choice([-2, 0, 3]) * 10 ** 6, rid,
                    data=rnd.choice([["ErrorData", "X"], ["ErrorData", "H", "503"], None]))
            if fate > .15:
                data = rnd.choice([["TextModelOutput", ["a", "b"]], ["TextModelOutput", ["a", ""]], ["TextModelOutput", "a"], None])
                if failed and fate >= .5:
                    data = rnd.choice([["ErrorData", "Z"], ["ErrorData"], ["ErrorData", "", "503"]])
                add("sample.complete", t, rid, data=data, output_tokens=rnd.choice([None, 0, 1, 7]), finish_reason=rnd.choice([None, "stop"]))
                if rnd.random() < .1:
                    add("sample.complete", t + rnd.choice([0, 3, 700]) * 10 ** 6, rid, data=None, output_tokens=9)
            t += rnd.choice([0, 0, 1, 200, 700]) * 10 ** 6
    lines.append((2 * n * SLACK, {"event_type": "session.ended", "timestamp_ns": 2 * n * SLACK}))
    return [e for _, e in sorted(lines, key=lambda x: x[0] + rnd.random() * .9 * SLACK)]


def main():
    if sys.argv[1] == "--random":
        for e in random_log(int(sys.argv[2]), int(sys.argv[3])):
            print(json.dumps(e, separators=(",", ":")))
        return
    table, reissued = rows(open(sys.argv[1]).read().splitlines())
    columns = ["request", "seq", "tracked", "outcome", "issued", "reissued_ns", "first", "last", "done", "gap",
               "tokens", "tail", "chunks", "attempts", "finish", "error"]
    for r in table:
        r["error"] = r["error"] or None
        print("\t".join("" if r[c] is None else str(r[c]) for c in columns) + "\t" + ("dup" if r["dup"] else ""))


main()
