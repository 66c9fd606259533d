/* SPDX-License-Identifier: ISC
 * Records: the verifier neither falls over nor changes its mind, and what is unsound it says in a
 * line that a terminal may show.
 */
#include "client/record.h"
#include "tests/fuzz/fuzz.h"

static enum err check(const uint8_t *data, size_t size, uint64_t *line)
{
    struct record r = {.scn = NULL};
    struct buf words = BUF_EMPTY;
    enum err e = record_check(&r, (const char *)data, size, NULL, NULL);

    if (e == ERR_OK) {
        record_words(&r, &words);
        CHECK(words.len > 0);
    } else {
        CHECK(r.why[0] != '\0');
        for (const char *c = r.why; *c != '\0'; c++)
            CHECK((uint8_t)*c >= ' ' && *c != 0x7f);
    }
    *line = r.line;
    buf_fini(&words);
    record_fini(&r);
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t first = 0, second = 0;
    const enum err e = check(data, size, &first);

    CHECK(check(data, size, &second) == e && first == second);
    return 0;
}
