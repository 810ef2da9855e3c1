/* truth: what was planted, as one JSON object. */

#include <errno.h>

#include "die.h"
#include "synth.h"

/* Tokens of completed requests per second that a full server delivers: what its slots (or the arrivals) carry. */
static double planted_tps(const struct options *o, const struct plan *p) {
    double decode = p->tpot_ns * (p->osl_mean - 1);
    double failing = o->fail + o->timeout + o->cancel, again = o->retry + o->reopen;
    double cut_short = p->ttft_ns + 0.7 * 0.5 * decode; /* 30 % end before the first token, the rest half way */
    double done = 1 - failing - o->reject - o->unfinished;
    if (o->mode == MODE_POISSON && p->rate * p->e2e_ns < (double)o->slots) return p->rate * done * p->osl_mean * 1e9;
    double cycle = done * p->e2e_ns + (failing + o->unfinished) * cut_short + again * cut_short;
    if (o->mode == MODE_CONCURRENCY && o->slots >= o->concurrency)
        cycle += o->dawdle_us * 1e3 + o->reject * 2e6 + again * 20e6;
    return (double)o->slots / cycle * done * p->osl_mean * 1e9;
}

static void put_steps(FILE *f, const struct options *o) {
    fprintf(f, ",\"steps\":[");
    for (size_t i = 0; i < o->steps.n; i++) {
        const struct step *s = &o->steps.v[i];
        fprintf(f, "%s{\"delta\":%.17g,\"at\":%.17g,", i ? "," : "", s->delta, s->at);
        if (s->until <= 1) fprintf(f, "\"until\":%.17g,", s->until);
        fprintf(f, "\"pass\":%lld,\"time_ns\":%lld}", (long long)s->pass, (long long)s->time_ns);
    }
    fprintf(f, "]");
}

void truth_write(const struct options *o, const struct plan *p, const struct truth *t, const struct counts *c) {
    static const char *const modes[] = {"concurrency", "poisson", "offline"};
    static const char *const fates[] = {"completed", "error", "rejected", "timeout", "cancelled", "unfinished"};
    FILE *f = fopen(o->truth, "w");
    if (!f) die_errno("%s", o->truth);
    fprintf(f, "{\"seed\":%lld,\"mode\":\"%s\",\"concurrency\":%lld,\"requests\":%lld", (long long)o->seed,
            modes[o->mode], (long long)o->concurrency, (long long)t->issued);
    fprintf(f, ",\"dataset\":%lld,\"pass_size\":%lld", (long long)o->dataset, (long long)p->pass_size);
    fprintf(f, ",\"tpot_ns\":%.17g,\"ttft_ns\":%.17g,\"e2e_ns\":%.17g,\"osl_mean\":%.17g,\"tps\":%.17g", p->tpot_ns,
            p->ttft_ns, p->e2e_ns, p->osl_mean, planted_tps(o, p));
    fprintf(f, ",\"noise\":%.17g,\"phi\":%.17g,\"drift\":%.17g", o->noise, o->phi, o->drift);
    fprintf(f, ",\"ramp_passes\":%.17g,\"ramp_s\":%.17g", o->ramp_passes, o->ramp_s);
    if (o->mode == MODE_POISSON) fprintf(f, ",\"rate_rps\":%.17g", p->rate * 1e9);
    put_steps(f, o);
    fprintf(f, ",\"outcomes\":{");
    for (int i = 0; i < N_FATES; i++)
        fprintf(f, "%s\"%s\":%lld", i ? "," : "", fates[i], (long long)t->fates[i]);
    fprintf(f, "},\"warmup\":%lld,\"retries\":%lld,\"reopened\":%lld,\"dup_done\":%lld,\"clock_faults\":%lld",
            (long long)o->warmup, (long long)t->retries, (long long)t->reopened, (long long)t->dup_done,
            (long long)t->clock_faults);
    fprintf(f, ",\"orphan_ids\":%lld,\"malformed\":%lld,\"other\":%lld,\"blank\":%lld,\"displaced_lines\":%lld",
            (long long)c->orphan_ids, (long long)c->malformed, (long long)c->other, (long long)c->blank,
            (long long)t->late);
    fprintf(f, ",\"early_done\":%lld,\"reissued_after_end\":%lld,\"bad_payload\":%lld", (long long)t->early_done,
            (long long)t->reissued_after_end, (long long)c->bad_payload);
    fprintf(f, ",\"lines\":%lld,\"bytes\":%lld,\"truncated\":%s,\"last_issue_ns\":%lld,\"end_ns\":%lld",
            (long long)c->lines, (long long)c->bytes, o->truncate > 0 ? "true" : "false",
            (long long)sim_stamp(t->last_issue), (long long)sim_stamp(t->end));
    fprintf(f, ",\"pass_tpot_ns\":[");
    for (size_t i = 0; i < t->pass_n.n; i++) {
        if (t->pass_n.v[i])
            fprintf(f, "%s%.17g", i ? "," : "", t->pass_sum.v[i] / (double)t->pass_n.v[i]);
        else
            fprintf(f, "%snull", i ? "," : "");
    }
    fprintf(f, "]}\n");
    if (ferror(f) | fclose(f)) {
        if (errno) die_errno("%s", o->truth);
        die("%s: write error", o->truth);
    }
}
