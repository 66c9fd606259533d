/* SPDX-License-Identifier: ISC
 * record_bytes.c -- every changed byte of a record is refused by `skirmish verify`'s reader, which
 * names no line before the changed one.
 *
 * Usage: record_bytes [VALUES [STEP [FILE...]]]: each STEP-th byte of the files (1; of the golden
 * records) is replaced by VALUES others (1; 255 is all of them).
 */
// timeout: 300
#include <dirent.h>
#include <sodium.h>

#include "client/record.h"
#include "common/base/drbg.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"

enum { OTHERS = 255, WRONG_SHOWN = 20, PATH_LEN = 512 };

struct sweep {
    int64_t values, step;
    struct drbg rng;
    uint64_t tried, wrong;
};

static enum err check(const struct buf *text, uint64_t *line)
{
    struct record r;
    const enum err e = record_check(&r, buf_str(text), text->len, NULL, NULL);

    *line = r.line;
    record_fini(&r);
    return e;
}

static void try_value(struct sweep *s, const char *name, struct buf *text, size_t i, uint64_t line)
{
    uint64_t named = 0;
    const enum err e = check(text, &named);

    s->tried++;
    if (e == ERR_DATA && named >= line)
        return;
    if (s->wrong++ < WRONG_SHOWN)
        (void)printf("WRONG: %s: byte %zu of line %llu made %u: %s at line %llu\n", name, i,
                     (unsigned long long)line, (unsigned)(uint8_t)text->data[i],
                     e == ERR_OK ? "taken" : "refused", (unsigned long long)named);
}

static void sweep_file(struct sweep *s, const char *path)
{
    struct buf text = BUF_EMPTY;
    uint64_t line = 1, last = 0;

    if (buf_read_file(&text, path, RECORD_FILE_MAX) != ERR_OK || check(&text, &last) != ERR_OK) {
        (void)printf("WRONG: %s can't be read, or isn't sound\n", path);
        s->wrong++;
        buf_fini(&text);
        return;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char was = text.data[i];

        if (i % (size_t)s->step == 0) {
            const uint32_t from = s->values == OTHERS ? 0 : drbg_below(&s->rng, OTHERS);

            for (int64_t k = 0; k < s->values; k++) {
                const uint64_t turn = from + (uint64_t)k * (OTHERS / (uint64_t)s->values);

                text.data[i] = (char)((uint8_t)was ^ (uint8_t)(1 + turn % OTHERS));
                try_value(s, path, &text, i, line);
            }
            text.data[i] = was;
        }
        line += was == '\n';
    }
    buf_fini(&text);
}

static void sweep_golden(struct sweep *s)
{
    const char *src = getenv("SK_SRC");
    char folder[PATH_LEN / 2], path[PATH_LEN];
    struct dirent *entry;
    DIR *dir;

    (void)snprintf(folder, sizeof(folder), "%s/proto/golden/records", src != NULL ? src : ".");
    dir = opendir(folder);
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
        sweep_file(s, path);
    }
    if (dir != NULL)
        (void)closedir(dir);
}

int main(int argc, char **argv)
{
    static const uint8_t seed[DRBG_SEED_LEN] = {7};
    struct sweep s = {.values = 1, .step = 1};

    if ((argc > 1 && !str_to_int(argv[1], 1, OTHERS, &s.values)) ||
        (argc > 2 && !str_to_int(argv[2], 1, INT32_MAX, &s.step)) || sodium_init() < 0)
        return 64;
    drbg_init(&s.rng, seed);
    if (argc > 3) {
        for (int i = 3; i < argc; i++)
            sweep_file(&s, argv[i]);
    } else {
        sweep_golden(&s);
    }
    (void)printf("%llu changes, %llu wrong\n", (unsigned long long)s.tried,
                 (unsigned long long)s.wrong);
    return s.wrong == 0 && s.tried > 0 ? 0 : 1;
}
