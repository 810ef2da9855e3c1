#include "survey.h"

#include <stdlib.h>

#include "die.h"
#include "grain.h"
#include "hash.h"
#include "num.h"

const char *const mode_name[] = {"auto", "concurrency", "poisson", "offline", "agentic", NULL};

void survey_marks_free(struct survey_marks *m) {
    vec_free(&m->prompt);
    vec_free(&m->conversation);
}

void survey_init(struct survey *s) {
    *s = (struct survey){.occupancy = OCCUPANCY_NONE,
                         .first_issue_ns = INT_NONE,
                         .last_issue_ns = INT_NONE,
                         .last_event_ns = INT_NONE,
                         .wall_ns = INT_NONE};
}

void survey_free(struct survey *s) {
    occupancy_free(&s->occupancy);
    vec_free(&s->in_flight);
}

int64_t survey_watch(struct survey *s, const struct request *r) {
    s->times = int_known(r->issued_ns);
    int64_t in_flight = s->times ? occupancy_issue(&s->occupancy, r->issued_ns, r->done_ns) : INT_NONE;
    vec_push(&s->in_flight, in_flight);
    return in_flight;
}

void survey_end(struct survey *s, const struct requests *r) {
    s->n = (int64_t)r->n;
    if (!s->times) return;
    occupancy_end(&s->occupancy);
    s->first_issue_ns = r->v[0].issued_ns;
    s->last_issue_ns = r->v[r->n - 1].issued_ns;
    for (size_t i = 0; i < r->n; i++)
        if (r->v[i].latest_ns > s->last_event_ns) s->last_event_ns = r->v[i].latest_ns;
    s->wall_ns = num_span(s->first_issue_ns, s->last_event_ns);
    for (size_t i = 0; i < r->n && int_known(s->wall_ns); i++)
        s->early += r->v[i].issued_ns - s->first_issue_ns <= s->wall_ns / 100;
}

static bool came_back(const struct requests *r, const struct survey_marks *marks) {
    if (marks->conversation.n == 0) return false;
    uint64_t *seen = xmalloc(r->n * sizeof *seen);
    size_t n = 0;
    bool later = false;
    for (size_t i = 0; i < r->n; i++) {
        uint64_t c = marks->conversation.v[r->v[i].at];
        later = later || c == LATER_TURN;
        if (c != 0) seen[n++] = c;
    }
    later = later || hash_repeats(seen, n) > 0;
    free(seen);
    return later;
}

struct survey survey_so_far(const struct survey *s, const struct requests *r, const struct survey_marks *marks) {
    struct survey now = *s;
    survey_end(&now, r);
    now.later_turns = came_back(r, marks);
    return now;
}

void survey_all(struct survey *s, const struct requests *r, const struct survey_marks *marks) {
    survey_init(s);
    for (size_t i = 0; i < r->n; i++)
        survey_watch(s, &r->v[i]);
    survey_end(s, r);
    s->later_turns = came_back(r, marks);
}

enum mode survey_mode(const struct survey *s) {
    if (s->n == 0) return MODE_NONE;
    if (s->later_turns) return MODE_AGENTIC;
    if (int_known(s->wall_ns) && 100. * (double)s->early >= 99. * (double)s->n) return MODE_OFFLINE;
    return occupancy_cap(&s->occupancy) > 0 ? MODE_CONCURRENCY : MODE_POISSON;
}

int64_t survey_concurrency(const struct survey *s) {
    if (!s->times) return INT_NONE;
    int64_t cap = occupancy_cap(&s->occupancy);
    return cap > 0 ? cap : s->occupancy.after > 0 ? s->occupancy.max : s->occupancy.peak;
}

static struct grain grain_of(const struct requests *r, const struct survey_marks *marks) {
    uint64_t *prompt = xmalloc(r->n * sizeof *prompt);
    for (size_t i = 0; i < r->n; i++)
        prompt[i] = marks->prompt.v[r->v[i].at];
    struct grain g = grain_find(prompt, r->n);
    free(prompt);
    return g;
}

bool survey_repeats(const struct requests *r, const struct survey_marks *marks) { return grain_of(r, marks).size > 0; }

int64_t survey_dataset(const struct requests *r, const struct survey_marks *marks) {
    struct grain g = grain_of(r, marks);
    if (g.alike < g.blocks)
        warn("only %zu of %zu passes of %zu requests hold the prompts of the first: -n says better what a pass is",
             g.alike, g.blocks, g.size);
    return g.size > 0 ? (int64_t)g.size : INT_NONE;
}

void survey_doubt_dataset(const struct requests *r, const struct survey_marks *marks, int64_t size) {
    struct grain g = grain_of(r, marks);
    if (g.size > 0 && g.alike == g.blocks && size % (int64_t)g.size != 0)
        warn("prompts repeat after %zu requests: passes of %lld do not hold the same mix", g.size, (long long)size);
}

bool survey_backlog(const struct survey *s, const struct requests *r) {
    if (!s->times) return false;
    int64_t *issued = xmalloc(r->n * sizeof *issued), *done = xmalloc(r->n * sizeof *done);
    for (size_t i = 0; i < r->n; i++) {
        issued[i] = r->v[i].issued_ns;
        done[i] = r->v[i].done_ns;
    }
    bool piles_up = occupancy_backlog(issued, done, s->in_flight.v, r->n);
    free(issued);
    free(done);
    return piles_up;
}

json_t *survey_evidence(const struct survey *s, bool told) {
    const struct occupancy *o = &s->occupancy;
    bool some = s->times && o->after > 0;
    json_t *e = json_object();
    doc_set_text(e, "from", told ? "option" : "detected");
    doc_set_bool(e, "later_turns", s->later_turns);
    doc_set_real(e, "early_share", int_known(s->wall_ns) ? (double)s->early / (double)s->n : NAN);
    doc_set_int(e, "issues", s->times ? o->after : INT_NONE);
    doc_set_int(e, "max_in_flight", some ? o->max : INT_NONE);
    doc_set_int(e, "at_max", some ? o->at.v[o->max] : INT_NONE);
    int64_t cap = some ? occupancy_cap(o) : 0;
    if (cap > 0 && cap < o->max) {
        doc_set_int(e, "cap", cap);
        doc_set_int(e, "at_cap", o->at.v[cap]);
    }
    return e;
}

bool survey_filled(const struct survey *s) { return s->times && int_known(s->occupancy.first_done_ns); }

void survey_state_fill(json_t *facts, const struct survey *s) {
    json_t *fill = json_object();
    int64_t filling = s->times ? (int64_t)s->occupancy.fill.n : INT_NONE;
    doc_set_int(fill, "n", filling);
    doc_set_int(fill, "ended90_ns", s->times ? occupancy_fill_ended90(&s->occupancy) : INT_NONE);
    json_object_set_new(facts, "fill", fill);
    doc_set_int(facts, "in_flight_at_first_done", filling); /* none of them had ended */
}

void survey_state(json_t *facts, const struct survey *s) {
    doc_set_int(facts, "n_issued", s->n);
    doc_set_int(facts, "first_issue_ns", s->first_issue_ns);
    doc_set_int(facts, "last_issue_ns", s->last_issue_ns);
    doc_set_int(facts, "last_event_ns", s->last_event_ns);
    survey_state_fill(facts, s);
    if (s->n > 0 && !s->times) doc_set_bool(facts, "no_times", true);
}
