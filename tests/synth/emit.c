/* emit: one JSON object per event, in the keys and order of a real client, and the ways to damage them. */

#include <math.h>
#include <string.h>

#include "num.h"
#include "out.h"
#include "synth.h"

static const struct options *opt;
static struct counts count;
static struct buf line, data, held; /* held: the whole log, when it is to be cut off */
static uint64_t n_extra;

struct error {
    const char *type, *message;
};

/* How failures are worded.  The first of a fate is the plain one; the others are for --nasty. */
#define N_ERRORS 7
static const struct error errors[N_FATES][N_ERRORS] = {
    [FATE_ERROR] = {{"ConnectionError", "Connection reset by peer"},
                    {"HTTPError", "500 Internal Server Error"},
                    {"ValueError", "unexpected chunk after 4290 bytes"},
                    {"400", "bad request"},
                    {"DecodeError", NULL},
                    {"", ""},
                    {"Erreur r\\u00e9seau", "line one\\nline two"}},
    [FATE_REJECTED] = {{"HTTPError", "503"},
                       {"429", "slow down"},
                       {"RateLimitError", "Rate limit exceeded"},
                       {"HTTPStatusError", "HTTP/1.1 503 Service Unavailable"},
                       {"ServerOverloaded", NULL},
                       {"SchedulerError", "request queue is full"},
                       {"ApiError", "status: 529"}},
    [FATE_TIMEOUT] = {{"TimeoutError", "Request timed out"},
                      {"DeadlineExceeded", ""},
                      {"HTTPError", "408 Request Timeout"},
                      {"asyncio.TimeoutError", NULL},
                      {"ReadError", "deadline exceeded while reading"},
                      {"read_timeout", "60 s"},
                      {"Error", "code=408"}},
    [FATE_CANCELLED] = {{"CancelledError", "Request cancelled"},
                        {"HTTPError", "499"},
                        {"client_abort", NULL},
                        {"Canceled", "context canceled"},
                        {"StreamError", "client abort"},
                        {"CANCELLED", "timeout of the user"},
                        {"Error", "error 499"}},
};

static const char *const malformed[] = {
    "{\"event_type\":\"sample.issued\",\"timestamp_ns\":1,",
    "not json",
    "[1,2,3]",
    "{\"event_type\":7,\"timestamp_ns\":1,\"sample_uuid\":\"x\"}",
    "{\"event_type\":\"sample.issued\",\"timestamp_ns\":1.5,\"sample_uuid\":\"x\"}",
    "{\"event_type\":\"sample.issued\",\"timestamp_ns\":\"15\",\"sample_uuid\":\"x\"}",
    "{\"event_type\":\"sample.issued\",\"timestamp_ns\":9223372036854775808,\"sample_uuid\":\"x\"}",
    "{\"event_type\":\"sample.complete\",\"timestamp_ns\":5,\"sample_uuid\":null,\"data\":null}",
    "{\"event_type\":\"sample.complete\",\"timestamp_ns\":5,\"data\":null}",
    "{\"event_type\":\"sample.issued\",\"timestamp_ns\":1,\"sample_uuid\":\"\xff\"}",
    "{\"event_type\":\"sample.issued\",\"timestamp_ns\":1,\"sample_uuid\":\"x\"} trailing",
    "{\"event_type\":\"sample.issued\",\"timestamp_ns\":1,\"sample_uuid\":\"a\tb\"}",
    "{\"event_type\":\"session.started\"}",
    "{\"event_type\":\"sample.issued\",\"timestamp_ns\":01,\"sample_uuid\":\"x\"}",
    "{\"event_type\":\"sample.issued\",\"timestamp_ns\":null,\"sample_uuid\":\"x\"}",
    "\"sample.issued\"",
};

static const char *const unknown[] = {
    "{\"event_type\":\"metrics.gauge\",\"timestamp_ns\":5,\"data\":{\"event_type\":\"sample.issued\",\"x\":[1,{}]}}",
    "{\"event_type\":\"sample.preempted\",\"timestamp_ns\":6,\"sample_uuid\":\"x\"}",
    "{\"timestamp_ns\":7,\"event_type\":\"session.heartbeat\",\"sample_uuid\":\"\"}",
    "{\"event_type\":\"\",\"timestamp_ns\":8}",
};

void emit_init(const struct options *o) { opt = o; }

static void put_int(struct buf *b, int64_t v) { b->len += num_put_int(buf_room(b, NUM_MAX), v); }

static void put(struct buf *b, const char *s) { buf_add(b, s, strlen(s)); }

/* ---- writing a finished line ---- */

static void write_line(void) {
    put(&line, opt->crlf ? "\r\n" : "\n");
    count.lines++;
    count.bytes += (int64_t)line.len;
    if (opt->truncate > 0)
        buf_add(&held, line.s, line.len);
    else
        out_add(line.s, line.len);
    buf_clear(&line);
}

/* The strangers that --malformed and --other put behind a line. */
static void extras(void) {
    uint64_t n = n_extra++, bits = rand_bits(RAND_FAULT, 3 * n);
    if (opt->malformed > 0 && rand_unit(RAND_FAULT, 3 * n + 1) < opt->malformed) {
        put(&line, malformed[bits % (sizeof malformed / sizeof *malformed)]);
        count.malformed++;
        write_line();
    }
    if (opt->other > 0 && rand_unit(RAND_FAULT, 3 * n + 2) < opt->other) {
        if (bits >> 32 & 1) {
            put(&line, unknown[bits % (sizeof unknown / sizeof *unknown)]);
            count.other++;
        } else {
            put(&line, bits >> 33 & 1 ? "  " : "");
            count.blank++;
        }
        write_line();
    }
}

void emit_end(struct counts *c) {
    if (opt->truncate > 0 && held.len > 0) {
        size_t keep = (size_t)(opt->truncate * (double)held.len);
        while (keep < held.len && (keep == 0 || held.s[keep - 1] == '\n' || strchr("\r\n", held.s[keep])))
            keep++;
        out_add(held.s, keep);
        count.bytes = (int64_t)keep;
    }
    *c = count;
    out_flush();
}

/* ---- pieces ---- */

static void put_id(struct buf *b, int64_t number) {
    if (opt->ids == IDS_SHORT) {
        buf_printf(b, "r%07lld", (long long)number);
    } else {
        static const char hex[] = "0123456789abcdef";
        char *s = buf_room(b, 32);
        for (uint64_t half = 0; half < 2; half++) {
            uint64_t bits = rand_bits(RAND_ID, 2 * (uint64_t)number + half);
            for (int i = 0; i < 16; i++, bits >>= 4)
                *s++ = hex[bits & 15];
        }
        b->len += 32;
    }
    if (opt->nasty) {
        static const char *const odd[] = {"\\u0007", "\\t", "\\\"", "é", "\\\\", "\\u001b[31m", "#", "\\n"};
        uint64_t bits = rand_bits(RAND_NASTY, 1000 + (uint64_t)number);
        if (bits % 50 == 0) put(b, odd[bits >> 32 & 7]);
    }
}

static void put_error(const struct request *r, enum fate fate, bool object) {
    uint64_t pick = opt->nasty ? rand_bits(RAND_FORM, 3 * (uint64_t)r->number) % N_ERRORS : 0;
    const struct error *e = &errors[fate][pick];
    put(&data, object ? "{\"type\":\"ErrorData\",\"error_type\":\"" : "[\"ErrorData\",\"");
    put(&data, e->type);
    if (object || e->message || pick % 2)
        put(&data, object ? "\",\"error_message\":" : "\",");
    else
        put(&data, "\"");
    if (e->message)
        buf_printf(&data, "\"%s\"", e->message);
    else if (object || pick % 2)
        put(&data, "null");
    put(&data, object ? "}" : "]");
}

static void put_prompt_text(int64_t item) {
    size_t start = data.len;
    put(&data, "\"item ");
    put_int(&data, item);
    int64_t left = opt->prompt_bytes - (int64_t)(data.len - start);
    if (left > 0) text_bytes(&data, rand_bits(RAND_OFFSET, (uint64_t)item), left);
    put(&data, "\"");
}

static void put_prompt(const struct request *r, bool bare) {
    if (opt->prompt == PROMPT_NONE) {
        put(&data, "null");
        return;
    }
    put(&data, "[\"PromptData\",");
    if (opt->prompt == PROMPT_TEXT || opt->prompt == PROMPT_BOTH)
        put_prompt_text(r->item);
    else
        put(&data, "null");
    if (opt->prompt == PROMPT_IDS || opt->prompt == PROMPT_BOTH) {
        put(&data, ",[");
        put_int(&data, r->item);
        for (int64_t n = opt->prompt_bytes / 5, i = 1; i < n; i++) {
            put(&data, ",");
            put_int(&data, (int64_t)(rand_bits(RAND_OFFSET, (uint64_t)((r->item << 20) + i)) % 32000));
        }
        put(&data, "]");
    } else if (opt->prompt == PROMPT_MESSAGES) {
        put(&data, ",null,[{\"role\":\"user\",\"content\":");
        put_prompt_text(r->item);
        put(&data, "}]");
    }
    if (!bare) { /* seven fields after the tag */
        int nulls = opt->prompt == PROMPT_MESSAGES ? 4 : opt->prompt == PROMPT_TEXT ? 6 : 5;
        while (nulls-- > 0)
            put(&data, ",null");
    }
    put(&data, "]");
}

/* One string, or the first word and the rest. */
static void put_reply(uint64_t from, int64_t words, bool chunks) {
    put(&data, chunks ? "[\"" : "\"");
    text_words(&data, from, chunks && words > 1 ? 1 : words, true);
    put(&data, "\"");
    if (chunks && words > 1) {
        put(&data, ",\"");
        text_words(&data, from + 1, words - 1, false);
        put(&data, "\"");
    }
    if (chunks) put(&data, "]");
}

static void put_output(const struct request *r, int64_t words, bool object) {
    uint64_t from = rand_bits(RAND_OFFSET, ~(uint64_t)r->number);
    int64_t wire = opt->wire, answer = words / 4 + 1;
    bool streamed = wire == WIRE_TWO_CHUNK || wire == WIRE_FIELD;
    if (wire == WIRE_NULL) {
        put(&data, "null");
        return;
    }
    put(&data, object ? "{\"type\":\"TextModelOutput\",\"output\":" : "[\"TextModelOutput\",");
    if (words == 0 || wire == WIRE_TOOL) {
        put(&data, "\"\"");
    } else if (wire == WIRE_PER_TOKEN) {
        put(&data, "[");
        text_strings(&data, from, words);
        put(&data, "]");
    } else if (wire == WIRE_REASONING && words > 1) {
        put_reply(from + (uint64_t)(words - answer), answer, false);
        put(&data, object ? ",\"reasoning\":" : ",");
        put_reply(from, words - answer, true);
    } else {
        put_reply(from, words, streamed);
    }
    if (!(wire == WIRE_REASONING && words > 1)) put(&data, object ? ",\"reasoning\":null" : ",null");
    put(&data, object ? ",\"tool_calls\":" : ",");
    if (wire == WIRE_TOOL && words > 0) {
        buf_printf(&data, "[{\"id\":\"call_%lld\",\"type\":\"function\",", (long long)r->number);
        put(&data, "\"function\":{\"name\":\"lookup\",\"arguments\":\"");
        text_words(&data, from, words, true);
        put(&data, "\"}}]");
    } else {
        put(&data, "null");
    }
    put(&data, object ? "}" : "]");
}

/* ---- lines ---- */

/* Ways to write the same event. */
enum form {
    FORM_PLAIN,
    FORM_SHORT_TYPE,
    FORM_REVERSED,
    FORM_SPACES,
    FORM_UNKNOWN_KEYS,
    FORM_ESCAPED,
    FORM_OBJECT,
    FORM_NO_DATA, /* where it would be null */
    N_FORMS
};

static void put_data(const struct request *r, enum line kind, enum fate fate, enum form form) {
    static const char *const strange[] = {"17", "true", "[\"Strange\",1]", "{\"type\":\"Strange\",\"x\":[{}]}"};
    bool object = form == FORM_OBJECT;
    uint64_t odd = rand_bits(RAND_NASTY, (2 * (uint64_t)r->number + (kind == LINE_ISSUED) + 1) << 32);
    if (opt->nasty && odd % 60 == 0 && (kind == LINE_ISSUED || kind == LINE_COMPLETE)) {
        put(&data, strange[odd >> 32 & 3]);
        count.bad_payload++;
        return;
    }
    switch (kind) {
    case LINE_ISSUED: put_prompt(r, object); break;
    case LINE_ERROR:
    case LINE_FAILED: put_error(r, fate, object); break;
    case LINE_COMPLETE: put_output(r, r->osl, object); break;
    case LINE_PARTIAL:
        if (r->early || r->number % 2)
            put(&data, "null");
        else
            put_output(r, r->osl / 2, object);
        break;
    case LINE_DUP: put_output(r, r->osl + 7, object); break;
    default: put(&data, "null"); break;
    }
}

static void put_tail(const struct request *r, enum line kind, bool spaces) {
    const char *sep = spaces ? " , " : ",";
    if (kind == LINE_ISSUED && opt->intended)
        buf_printf(&line, "%s\"intended_ns\":%lld", sep, (long long)sim_stamp(r->intended));
    if (kind == LINE_COMPLETE && opt->wire != WIRE_NULL)
        buf_printf(&line, "%s\"finish_reason\":\"%s\"", sep,
                   opt->wire == WIRE_TOOL   ? "tool_calls"
                   : r->osl >= opt->osl_max ? "length"
                                            : "stop");
    if (opt->workers > 0 && kind >= LINE_ERROR)
        buf_printf(&line, "%s\"worker_id\":%lld", sep, (long long)(r->client % opt->workers));
    if (kind == LINE_COMPLETE && opt->tokens_recorded)
        buf_printf(&line, opt->usage ? "%s\"usage\":{\"completion_tokens\":%lld}" : "%s\"output_tokens\":%lld", sep,
                   (long long)r->osl);
}

static const char *const type_name[] = {
    [LINE_ISSUED] = "sample.issued",    [LINE_FIRST] = "sample.recv_first",  [LINE_NEXT] = "sample.recv_non_first",
    [LINE_ERROR] = "error.generic",     [LINE_COMPLETE] = "sample.complete", [LINE_FAILED] = "sample.complete",
    [LINE_PARTIAL] = "sample.complete", [LINE_DUP] = "sample.complete",
};

static void put_identity(const struct request *r, const char *colon, const char *comma) {
    buf_printf(&line, "\"sample_uuid\"%s\"", colon);
    put_id(&line, r->number);
    if (opt->agentic)
        buf_printf(&line, "\"%s\"conversation_id\"%s\"conv-%lld\"%s\"turn\"%s%lld", comma, colon,
                   (long long)r->conversation, comma, colon, (long long)r->turn);
    else
        buf_printf(&line, "\"%s\"conversation_id\"%s\"\"%s\"turn\"%snull", comma, colon, comma, colon);
}

static void build(const struct request *r, enum line kind, enum fate fate, int64_t ts, enum form form) {
    const char *type = type_name[kind];
    bool spaces = form == FORM_SPACES;
    buf_clear(&data);
    put_data(r, kind, fate, form);
    if (form == FORM_SHORT_TYPE) type = strchr(type, '.') + 1;
    if (form == FORM_REVERSED) {
        put(&line, "{\"data\":");
        buf_add(&line, data.s, data.len);
        buf_printf(&line, ",\"timestamp_ns\":%lld,", (long long)ts);
        put_identity(r, ":", ",");
        buf_printf(&line, ",\"event_type\":\"%s\"", type);
    } else if (form == FORM_PLAIN) { /* by far the most: without printf */
        put(&line, "{\"event_type\":\"");
        put(&line, type);
        put(&line, "\",\"timestamp_ns\":");
        put_int(&line, ts);
        if (opt->agentic) {
            put(&line, ",");
            put_identity(r, ":", ",");
        } else {
            put(&line, ",\"sample_uuid\":\"");
            put_id(&line, r->number);
            put(&line, "\",\"conversation_id\":\"\",\"turn\":null");
        }
        put(&line, ",\"data\":");
        buf_add(&line, data.s, data.len);
    } else {
        const char *colon = spaces ? " : " : ":", *comma = spaces ? " ,\t" : ",";
        put(&line, spaces ? " { " : "{");
        if (form == FORM_UNKNOWN_KEYS)
            put(&line, "\"x\":{\"event_type\":\"sample.complete\",\"timestamp_ns\":1,\"sample_uuid\":\"\\\"}{\"},"
                       "\"seq\":[0,[]],");
        if (form == FORM_ESCAPED)
            buf_printf(&line, "\"\\u0065vent_type\":\"\\u00%02x%s\"", (unsigned char)type[0], type + 1);
        else
            buf_printf(&line, "\"event_type\"%s\"%s\"", colon, type);
        buf_printf(&line, "%s\"timestamp_ns\"%s%lld%s", comma, colon, (long long)ts, comma);
        put_identity(r, colon, comma);
        if (form != FORM_NO_DATA || strcmp(data.s, "null") != 0) {
            buf_printf(&line, "%s\"data\"%s", comma, colon);
            buf_add(&line, data.s, data.len);
        }
    }
    put_tail(r, kind, spaces);
    put(&line, spaces ? " } " : "}");
}

void emit_request(const struct request *r, enum line kind, enum fate fate, int64_t ts) {
    if (kind == LINE_STOP) {
        emit_session("session.stop_loadgen", ts);
        return;
    }
    if (kind == LINE_ORPHAN) {
        count.orphan_ids++;
        buf_printf(&line, "{\"event_type\":\"sample.%s\",\"timestamp_ns\":%lld,",
                   r->number % 2 ? "complete" : "recv_first", (long long)ts);
        buf_printf(&line, "\"sample_uuid\":\"orphan-%lld\",\"data\":null}", (long long)r->number);
    } else {
        enum form form = FORM_PLAIN;
        if (opt->forms > 0 && rand_unit(RAND_FORM, 3 * n_extra + 1) < opt->forms)
            form = (enum form)(rand_bits(RAND_FORM, 3 * n_extra + 2) % N_FORMS);
        build(r, kind, fate, ts, form);
    }
    write_line();
    extras();
}

void emit_session(const char *event, int64_t ts) {
    buf_printf(&line,
               "{\"event_type\":\"%s\",\"timestamp_ns\":%lld,\"sample_uuid\":\"\",\"conversation_id\":\"\","
               "\"turn\":null,\"data\":null}",
               event, (long long)ts);
    write_line();
    extras();
}

void emit_warmup(int64_t n, int64_t ts) {
    for (int64_t i = 0; i < n; i++) {
        struct request r = {.number = (INT64_C(1) << 40) + i, .item = i, .turn = 1};
        emit_request(&r, LINE_ISSUED, FATE_DONE, ts + i * 10000);
    }
}

double emit_request_bytes(const struct plan *p) {
    enum { SAMPLE = 500 };
    double sum = 0;
    for (int64_t i = 0; i < SAMPLE; i++) {
        struct request r = {.number = i, .item = p->n_items ? i % p->n_items : i, .fate = FATE_DONE, .turn = 1};
        r.osl = plan_osl(p, opt, r.item);
        build(&r, LINE_NEXT, FATE_DONE, sim_stamp(0), FORM_PLAIN);
        sum += opt->all_chunks ? (double)(line.len + 1) * (double)(r.osl - 1) : 0;
        buf_clear(&line);
        build(&r, LINE_ISSUED, FATE_DONE, sim_stamp(0), FORM_PLAIN);
        build(&r, LINE_FIRST, FATE_DONE, sim_stamp(0), FORM_PLAIN);
        build(&r, LINE_COMPLETE, FATE_DONE, sim_stamp(0), FORM_PLAIN);
        sum += (double)line.len + 3;
        buf_clear(&line);
    }
    count = (struct counts){0}; /* these were never written */
    return sum / SAMPLE;
}
