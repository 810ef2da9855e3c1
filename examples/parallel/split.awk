# One event log into N shards by request, so that ev2ledger can take them side by side:
#
#     awk -v n=8 -v prefix=shard -f split.awk run.jsonl        writes shard.0.jsonl to shard.7.jsonl
#
# All events of a request go into one shard, requests in turn; what belongs to no request, such as the start and the end of
# tracking, goes into every shard.

BEGIN {
    for (i = 0; i < n; i++) {
        shard[i] = prefix "." i ".jsonl"
        printf "" >shard[i]
    }
}

match($0, /"sample_uuid" *: *"[^"]+"/) {
    id = substr($0, RSTART, RLENGTH)
    sub(/^"sample_uuid" *: */, "", id)
    if (!(id in home)) {
        home[id] = known++ % n
    }
    print >shard[home[id]]
    next
}

{
    for (i = 0; i < n; i++) {
        print >shard[i]
    }
}
