/* plan: the dataset, its shuffled passes, the noise, and the figures that follow from the options. */

#include <math.h>
#include <stdlib.h>

#include "die.h"
#include "synth.h"

#define MS 1e6
#define S 1e9

/* Output lengths of n prompts at the quantiles of a lognormal, in an order of their own. */
static void dataset_init(struct plan *p, const struct options *o) {
    size_t n = (size_t)p->n_items;
    uint32_t *rank = xcalloc(n, sizeof *rank);
    p->item_osl = xcalloc(n, sizeof *p->item_osl);
    p->order = xcalloc(n, sizeof *p->order);
    p->order_pass = -1;
    for (size_t i = 0; i < n; i++)
        rank[i] = (uint32_t)i;
    rand_shuffle(rank, n, RAND_ITEM, 0);
    double log_mean = log(o->osl_mean) - o->osl_sigma * o->osl_sigma / 2;
    size_t n_long = (size_t)llround(o->hairball * (double)n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double z = rand_quantile((rank[i] + 0.5) / (double)n);
        double osl = i < n_long ? o->osl_mean * o->hairball_factor : exp(log_mean + o->osl_sigma * z);
        p->item_osl[i] = (int32_t)fmax(1, fmin(llround(osl), (double)o->osl_max));
        sum += p->item_osl[i];
    }
    p->osl_mean = sum / (double)n;
    free(rank);
}

int64_t plan_osl(const struct plan *p, const struct options *o, int64_t item) {
    if (p->n_items) return p->item_osl[item];
    if (rand_unit(RAND_FATE, (uint64_t)~item) < o->hairball)
        return (int64_t)fmin(o->osl_mean * o->hairball_factor, (double)o->osl_max);
    double log_mean = log(o->osl_mean) - o->osl_sigma * o->osl_sigma / 2;
    double osl = exp(log_mean + o->osl_sigma * rand_normal(RAND_ITEM, (uint64_t)item));
    return (int64_t)fmax(1, fmin(llround(osl), (double)o->osl_max));
}

int64_t plan_item(struct plan *p, int64_t request) {
    if (!p->n_items) return request;
    int64_t pass = request / p->n_items;
    if (pass != p->order_pass) {
        for (int64_t i = 0; i < p->n_items; i++)
            p->order[i] = (uint32_t)i;
        rand_shuffle(p->order, (size_t)p->n_items, RAND_SHUFFLE, (uint64_t)pass);
        p->order_pass = pass;
    }
    return p->order[request % p->n_items];
}

double plan_gap(const struct plan *p, int64_t request) {
    return -log(1 - rand_unit(RAND_ARRIVAL, (uint64_t)request)) * p->gap_ns;
}

/* AR(1) noise per pass; centred over the passes between ramp and end, so that their mean is the planted one. */
static void noise_init(struct plan *p, const struct options *o, double expected) {
    p->n_factors = (int64_t)(expected / (double)p->pass_size) + 2;
    if (p->n_factors > 10000000) die("more than 10 million passes");
    p->pass_factor = xcalloc((size_t)p->n_factors, sizeof *p->pass_factor);
    double ramp = o->ramp_passes;
    if (o->ramp_s > 0) ramp = ceil(o->ramp_s * S / p->e2e_ns * (double)o->slots / (double)p->pass_size);
    int64_t first = (int64_t)ceil(ramp) + 1, last = p->n_factors - 2;
    double x = 0, sum = 0;
    for (int64_t k = 0; k < p->n_factors; k++) {
        double z = rand_normal(RAND_NOISE, (uint64_t)k) * o->noise;
        x = k ? o->phi * x + sqrt(1 - o->phi * o->phi) * z : z;
        p->pass_factor[k] = 1 + x;
        if (k >= first && k < last) sum += x;
    }
    for (int64_t k = 0; k < p->n_factors && last > first; k++)
        p->pass_factor[k] -= sum / (double)(last - first);
}

void plan_init(struct plan *p, const struct options *o) {
    *p = (struct plan){.osl_mean = o->osl_mean, .ttft_ns = o->ttft_ms * MS, .tpot_ns = o->tpot_ms * MS};
    p->n_items = o->dataset;
    p->pass_size = o->dataset ? o->dataset : o->concurrency;
    if (p->n_items) dataset_init(p, o);
    p->e2e_ns = p->ttft_ns + p->tpot_ns * (p->osl_mean - 1);
    double capacity = (double)o->slots / p->e2e_ns;
    p->occupancy = (double)o->slots;
    if (o->mode == MODE_POISSON) {
        p->rate = o->overload > 0 ? o->overload * capacity : o->rate > 0 ? o->rate / S : 0.7 * capacity;
        /* by Little's law, and the request itself */
        p->occupancy = fmin(p->occupancy, p->rate * p->e2e_ns + 1);
    }
    double expected;
    if (o->requests > 0)
        expected = (double)o->requests;
    else if (o->duration_s > 0)
        expected = o->duration_s * S * (o->mode == MODE_POISSON ? p->rate : capacity);
    else if (o->bytes > 0)
        expected = fmax(1, (double)o->bytes / emit_request_bytes(p));
    else
        expected = (o->passes > 0 ? o->passes : 40) * (double)p->pass_size;
    bool timed = o->duration_s > 0 && o->requests == 0 && o->mode != MODE_OFFLINE;
    p->n = timed ? INT64_MAX : llround(expected);
    p->gap_ns = 1 / p->rate;
    if (o->mode == MODE_POISSON && !timed) { /* the process, given that n requests came at exactly this rate */
        double sum = 0;
        for (int64_t i = 1; i < p->n; i++)
            sum += plan_gap(p, i) / p->gap_ns;
        p->gap_ns *= p->n > 1 ? (double)(p->n - 1) / sum : 1;
    }
    noise_init(p, o, timed ? expected * 1.5 : expected);
}
