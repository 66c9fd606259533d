/* SPDX-License-Identifier: ISC
 * Usage: replay_NAME DIR... -- runs a fuzzer's body over the empty input and every file of the
 * directories, and over each file cut short in its middle: the corpus as an ordinary test.
 */
#include <dirent.h>

#include "common/base/buf.h"
#include "tests/fuzz/fuzz.h"

enum { INPUT_MAX = 1 << 24 };

static bool replay_file(const char *dir, const char *name)
{
    struct buf path = BUF_EMPTY;
    struct buf input = BUF_EMPTY;
    enum err e;

    buf_printf(&path, "%s/%s", dir, name);
    e = buf_read_file(&input, buf_str(&path), INPUT_MAX);
    if (e != ERR_OK) {
        (void)fprintf(stderr, "%s: %s\n", buf_str(&path), err_words(e));
    } else {
        (void)LLVMFuzzerTestOneInput((const uint8_t *)buf_str(&input), input.len);
        (void)LLVMFuzzerTestOneInput((const uint8_t *)buf_str(&input), input.len / 2);
    }
    buf_fini(&input);
    buf_fini(&path);
    return e == ERR_OK;
}

int main(int argc, char **argv)
{
    int files = 0;

    (void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        DIR *d = opendir(argv[i]);
        const struct dirent *entry;

        if (d == NULL) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        while ((entry = readdir(d)) != NULL) {
            if (entry->d_name[0] == '.')
                continue;
            if (!replay_file(argv[i], entry->d_name)) {
                (void)closedir(d);
                return EXIT_FAILURE;
            }
            files++;
        }
        (void)closedir(d);
    }
    (void)printf("%d files\n", files);
    return EXIT_SUCCESS;
}
