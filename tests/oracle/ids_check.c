/* ids_check: the table of ids against a list, operation by operation: hashes at random, hashes that share their tag, and
 * those that all belong to the last place of a shard. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ids.h"

enum { MOST = 60000 };

struct known {
    uint64_t hash;
    uint32_t index;
    enum id_state state;
    bool noted;
};

static struct known list[MOST];
static uint32_t n_list;
static void fail(const char *what, uint64_t hash) {
    printf("not ok %s: hash %016llx, %u ids\n", what, (unsigned long long)hash, n_list);
    exit(1);
}

/* What the table says of id k: found among the places of its hash, in its state. */
static uint64_t *expect(const struct ids *ids, uint32_t k) {
    const struct known *it = &list[k];
    uint64_t *p = ids_find(ids, it->hash);
    while (p && it->state == ID_LIVE && (ids_state(p) != ID_LIVE || ids_index(p) != it->index))
        p = ids_find_next(it->hash, p);
    while (p && it->state != ID_LIVE && ids_state(p) == ID_LIVE)
        p = ids_find_next(it->hash, p);
    if (!p) fail("an id is lost", it->hash);
    if (it->state != ID_LIVE && ids_state(p) != it->state) fail("an id is in another state", it->hash);
    if (it->state != ID_LIVE && ids_noted(p) != it->noted) fail("a mark is lost", it->hash);
    return p;
}

static void run(const char *name, uint64_t keep, uint64_t set, uint32_t n) {
    struct ids ids;
    ids_init(&ids);
    n_list = 0;
    for (uint32_t step = 0; n_list < n; step++) {
        uint64_t hash = (next() & keep) | set;
        uint32_t k = n_list ? (uint32_t)(next() % n_list) : 0;
        unsigned choice = (unsigned)(next() % 8);
        if (choice < 4 || n_list == 0) {
            uint64_t *p = ids_find(&ids, hash);
            while (p && ids_state(p) == ID_LIVE)
                p = ids_find_next(hash, p);
            if (p) continue; /* a finished id of this hash: no new one can be told from it */
            list[n_list] = (struct known){hash, n_list, ID_LIVE, false};
            ids_add(&ids, hash, n_list++);
        } else if (list[k].state == ID_LIVE && choice < 6) {
            list[k].state = choice == 4 ? ID_DONE : ID_FAILED;
            ids_retire(&ids, list[k].hash, list[k].index, list[k].state == ID_FAILED);
        } else if (list[k].state == ID_LIVE) {
            list[k].index += MOST;
            ids_move(&ids, list[k].hash, list[k].index - MOST, list[k].index);
        } else if (ids_note(expect(&ids, k)) == list[k].noted) {
            fail("a mark is made twice", list[k].hash);
        } else {
            list[k].noted = true;
        }
        if (step % 997 == 0)
            for (uint32_t i = 0; i < n_list; i++)
                expect(&ids, i);
    }
    for (uint32_t i = 0; i < n_list; i++)
        expect(&ids, i);
    for (uint32_t i = 0; i < 1000; i++) { /* ids that were never seen */
        uint64_t hash = (next() & keep) | set, *p = ids_find(&ids, hash);
        for (uint32_t k = 0; k < n_list; k++)
            if (list[k].hash == hash) p = NULL;
        if (p && ids_state(p) != ID_LIVE) fail("an id is known that was never seen", hash);
    }
    ids_free(&ids);
    check(true, name, "");
}

int main(void) {
    const uint64_t rest = UINT64_C(0x7FFFFFFF), tag = UINT64_C(0x3FFFFFFF) << 31;
    run("hashes at random", UINT64_MAX, 0, MOST);
    run("hashes of one shard", ~(UINT64_C(7) << 61), UINT64_C(5) << 61, 20000);
    run("hashes with one tag", rest | UINT64_C(7) << 61, UINT64_C(12345) << 31, 3000);
    run("hashes with the lowest tag", rest, 0, 1000);
    run("hashes with the highest tags", rest | UINT64_C(3) << 31, UINT64_C(7) << 61 | (tag & ~(UINT64_C(3) << 31)),
        2000);
    return 0;
}
