/* ledger_bench: read the rows of a ledger, every cell of them, and do nothing with them.
 *
 *     ledger_bench FILE
 *
 * Prints the number of rows. */
#include <stdio.h>

#include "die.h"
#include "ledger.h"

int main(int argc, char **argv) {
    die_init("ledger_bench");
    if (argc != 2) die("usage: ledger_bench FILE");
    struct ledger_in *in = ledger_open(argv[1]);
    struct ledger_row row;
    long long rows = 0;
    while (ledger_read(in, &row))
        rows++;
    ledger_close(in);
    printf("%lld\n", rows);
    return 0;
}
