/* SPDX-License-Identifier: ISC */
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/config.h"
#include "tests/cmocka_all.h"

#define ARGS(...) ((const char *const[]){"skirmishd", __VA_ARGS__, NULL})
enum { ARGS_MAX = 16 };

static enum err load(struct config *c, const char *const *words, char why[CONFIG_WHY_LEN])
{
    struct config_args args;
    char *argv[ARGS_MAX];
    int argc = 0;
    enum err e;

    for (; words[argc] != NULL; argc++)
        argv[argc] = mem_strdup(words[argc]);
    argv[argc] = NULL;
    why[0] = '\0';
    e = config_load(c, &args, argc, argv, why);
    while (argc-- > 0)
        mem_free(argv[argc]);
    return e;
}

/* Load `text` as a file. */
static enum err load_text(struct config *c, const char *text, size_t len, char why[CONFIG_WHY_LEN])
{
    char path[] = "/tmp/sk-conf-XXXXXX";
    int fd = mkstemp(path);
    enum err e;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), (ssize_t)len);
    (void)close(fd);
    e = load(c, ARGS("--config", path), why);
    (void)unlink(path);
    return e;
}

static void defaults(void **unused)
{
    static struct config c;
    char why[CONFIG_WHY_LEN];

    (void)unused;
    assert_int_equal(setenv("XDG_STATE_HOME", "/state", 1), 0);
    assert_int_equal(load(&c, ARGS("--log-json"), why), ERR_OK);
    assert_int_equal(c.n_listen, 1);
    assert_string_equal(c.listen[0].host, "127.0.0.1");
    assert_int_equal(c.listen[0].port, 1962);
    assert_string_equal(c.data, "/state/skirmishd");
    assert_int_equal(c.store, CONFIG_STORE_SQLITE);
    assert_int_equal(c.log_level, LOG_LEVEL_INFO);
    assert_true(c.log_json);
    assert_false(c.limit_loopback);
    assert_int_equal(setenv("XDG_STATE_HOME", "relative", 1), 0);
    assert_int_equal(setenv("HOME", "/home/ann", 1), 0);
    assert_int_equal(load(&c, ARGS("--log-json"), why), ERR_OK);
    assert_string_equal(c.data, "/home/ann/.local/state/skirmishd");
    assert_int_equal(unsetenv("HOME"), 0);
    assert_int_equal(load(&c, ARGS("--log-json"), why), ERR_OK);
    assert_string_equal(c.data, "");
}

static void command_line(void **unused)
{
    static struct config c;
    char why[CONFIG_WHY_LEN];

    (void)unused;
    assert_int_equal(load(&c,
                          ARGS("--listen", "[::1]:0", "--listen=0.0.0.0:1962", "--data", "/d",
                               "--store=memory", "--log-level", "debug"),
                          why),
                     ERR_OK);
    assert_int_equal(c.n_listen, 2);
    assert_string_equal(c.listen[0].host, "::1");
    assert_int_equal(c.listen[0].port, 0);
    assert_string_equal(c.listen[1].host, "0.0.0.0");
    assert_string_equal(c.data, "/d");
    assert_int_equal(c.store, CONFIG_STORE_MEMORY);
    assert_int_equal(c.log_level, LOG_LEVEL_DEBUG);
}

static void wrong_words(void **unused)
{
    static struct config c;
    static const struct {
        const char *word, *value, *why;
    } cases[] = {
        {"--lisen", "x:1", "--lisen: no such option; --help lists them"},
        {"serve", "x", "serve: no such option"},
        {"--listen", "127.0.0.1", "--listen: \"127.0.0.1\" is no HOST:PORT"},
        {"--listen", "127.0.0.1:65536", "is no HOST:PORT"},
        {"--listen", "::1:1962", "is no HOST:PORT"},
        {"--listen", ":1962", "is no HOST:PORT"},
        {"--listen", "", "HOST:PORT is missing"},
        {"--data", "", "--data: a path is missing"},
        {"--data", "a\nb", "--data: a character that isn't plain text (byte 2)"},
        {"--store", "postgres", "--store: \"postgres\" isn't one of sqlite"},
        {"--log-level", "loud", "--log-level: \"loud\" isn't one of error, warn, info or debug"},
        {"--listen", NULL, "--listen: a value is missing"},
        {"--config", NULL, "--config: a value is missing"},
    };

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char why[CONFIG_WHY_LEN];

        assert_int_equal(load(&c, ARGS(cases[i].word, cases[i].value), why), ERR_USAGE);
        if (strstr(why, cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].word, why);
    }
}

static void file(void **unused)
{
    static struct config c;
    static const char text[] = "# a comment\n"
                               "[server]\n"
                               "listen = 127.0.0.1:1 [::1]:2 ; two\n"
                               "motd = Caf\xc3\xa9 at eight\r\n"
                               "[limits]\n"
                               "connections=77\n"
                               "loopback = yes";
    char path[] = "/tmp/sk-conf-XXXXXX";
    char why[CONFIG_WHY_LEN];
    int fd;

    (void)unused;
    assert_int_equal(load_text(&c, text, sizeof(text) - 1, why), ERR_OK);
    assert_int_equal(c.n_listen, 2);
    assert_int_equal(c.listen[1].port, 2);
    assert_string_equal(c.motd, "Caf\xc3\xa9 at eight");
    assert_int_equal(c.limits.max_conns, 77);
    assert_true(c.limit_loopback);

    /* what the command line says goes before the file; a list isn't added to */
    fd = mkstemp(path);
    assert_int_equal(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
    (void)close(fd);
    assert_int_equal(load(&c, ARGS("--listen", "127.0.0.1:3", "--config", path), why), ERR_OK);
    assert_int_equal(c.n_listen, 1);
    assert_int_equal(c.listen[0].port, 3);
    assert_int_equal(c.limits.max_conns, 77);
    (void)unlink(path);
    assert_int_equal(load(&c, ARGS("--config", path), why), ERR_IO);
    assert_non_null(strstr(why, "No such file"));
}

static void wrong_files(void **unused)
{
    static struct config c;
    static char long_line[400] = "[server]\nmotd = ";
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"[server]\nport = 3\n", ":2: port: no such option in [server], which has: listen, data"},
        {"[sever]\nlisten = a:1\n", ":1: no such section as [sever]; there are: server, "},
        {"[nobody]\n[server]\n", ":1: no such section as [nobody]"},
        {"[tls]\ncert = /c\n", ":2: a certificate needs its key"},
        {"[tls]\n\nkey = /c\n", ":3: a key needs its certificate"},
        {"[tls]\nlisten = 127.0.0.1:0\n", ":2: a TLS listener needs a certificate"},
        {"listen = a:1\n", ":1: listen: no such section as []"},
        {"[server]\nmotd = a\n\nmotd = b\n", ":4: motd: given twice"},
        {"[server]\nmotd = a\n b\n", ":3: motd: given twice"},
        {"[limits]\nconnections = 0\n", ":2: connections: \"0\" is no number from 1 to 1000000"},
        {"[limits]\nconnections = 1000001\n", "is no number"},
        {"[limits]\nconnections = 07\n", "is no number"},
        {"[limits]\nconnections =\n", "is no number"},
        {"[limits]\nloopback = true\n", ":2: loopback: \"true\" is neither yes nor no"},
        {"[server]\nmotd = \x1b[2J\n", ":2: motd: a character that isn't plain text (byte 1)"},
        {"[server]\nmotd = \xff\n", ":2: motd: a character that isn't plain text"},
        {"[server]\nhello\n", ":2: neither [section] nor key = value"},
        {"[server\nmotd = x\n", ":1: neither [section] nor key = value"},
        {"[server]\nhello\n[limits]\nconnections = x\n", ":2: neither"},
        {"[limits]\nconnections = x\nhello\n", ":2: connections"},
        {long_line, ":2: longer than 198 bytes"},
    };
    char why[CONFIG_WHY_LEN];

    (void)unused;
    memset(long_line + strlen(long_line), 'x', 300);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(load_text(&c, cases[i].text, strlen(cases[i].text), why), ERR_DATA);
        if (strstr(why, cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].text, why);
    }
    assert_int_equal(load_text(&c, "[server]\nmotd = a\0b\n", 20, why), ERR_DATA);
    assert_non_null(strstr(why, ":2: a NUL byte"));
}

/* A directory with files in it; gone with dir_fini. */
struct dir {
    char path[64], main[80];
};

static void dir_put(const struct dir *d, const char *name, const char *text)
{
    char path[160];
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/%s", d->path, name);
    f = fopen(path, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void dir_init(struct dir *d)
{
    char path[160];

    (void)str_copy(d->path, sizeof(d->path), "/tmp/sk-conf-XXXXXX");
    assert_non_null(mkdtemp(d->path));
    (void)snprintf(path, sizeof(path), "%s/conf.d", d->path);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(d->main, sizeof(d->main), "%s/skirmishd.conf", d->path);
}

static void dir_fini(const struct dir *d)
{
    static const char *const names[] = {
        "conf.d/10-a.conf",  "conf.d/20-b.conf", "conf.d/B.conf", "conf.d/.hidden.conf",
        "conf.d/30-c.conf~", "skirmishd.conf",   "conf.d",        "."};
    char path[160];

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", d->path, names[i]);
        (void)remove(path);
    }
    assert_int_equal(rmdir(d->path), 0);
}

static void drop_ins(void **unused)
{
    static struct config c;
    struct dir d;
    char why[CONFIG_WHY_LEN], want[300];

    (void)unused;
    dir_init(&d);
    dir_put(&d, "skirmishd.conf",
            "[server]\nlisten = 127.0.0.1:1 127.0.0.1:2\nmotd = main\n"
            "[log]\nlevel = warn\n");
    dir_put(&d, "conf.d/20-b.conf", "[server]\nmotd = twenty\n[limits]\nmatches = 20\n");
    dir_put(&d, "conf.d/10-a.conf",
            "[server]\nmotd = ten\nlisten = 127.0.0.1:3\n"
            "[limits]\nmatches = 10\nguests = 10\n");
    dir_put(&d, "conf.d/.hidden.conf", "nonsense\n");
    dir_put(&d, "conf.d/30-c.conf~", "nonsense\n");
    assert_int_equal(load(&c, ARGS("--config", d.main), why), ERR_OK);
    assert_string_equal(c.motd, "twenty");
    assert_int_equal(c.limits.max_matches, 20);
    assert_int_equal(c.limits.max_guests, 10);
    assert_int_equal(c.log_level, LOG_LEVEL_WARN);
    assert_int_equal(c.n_listen, 1); /* replaced, not added to */
    assert_int_equal(c.listen[0].port, 3);
    /* before 10-a: bytes, no locale's order */
    dir_put(&d, "conf.d/B.conf", "[limits]\nmatches = 0\n");
    assert_int_equal(load(&c, ARGS("--config", d.main), why), ERR_DATA);
    (void)snprintf(want, sizeof(want), "%s/conf.d/B.conf:2: matches: \"0\" is no number", d.path);
    assert_non_null(strstr(why, want));
    dir_fini(&d);
}

/* Every line `#key = value` of the sample without its #. */
static void put_sample(struct buf *out, bool bare)
{
    struct buf sample = BUF_EMPTY;
    const char *end;

    config_sample(&sample);
    for (const char *at = buf_str(&sample); *at != '\0'; at = end + 1) {
        end = strchr(at, '\n');
        assert_non_null(end);
        if (bare && at[0] == '#' && at[1] >= 'a' && at[1] <= 'z' && end[-1] != '=')
            buf_put(out, at + 1, (size_t)(end - at));
        else
            buf_put(out, at, (size_t)(end - at) + 1);
    }
    buf_fini(&sample);
}

static void sample_is_the_table(void **unused)
{
    static struct config preset, c;
    static struct config_change change;
    char why[CONFIG_WHY_LEN];
    struct buf text = BUF_EMPTY;

    (void)unused;
    assert_int_equal(load(&preset, ARGS("--log-level=info"), why), ERR_OK);
    for (int bare = 0; bare < 2; bare++) {
        size_t at = 0;

        buf_reset(&text);
        put_sample(&text, bare != 0);
        assert_int_equal(load_text(&c, buf_str(&text), text.len, why), ERR_OK);
        if (config_next_change(&preset, &c, &at, &change))
            fail_msg("%s: %s, %s in the sample", change.key, change.was, change.is);
    }
    assert_non_null(strstr(buf_str(&text), "\nconnections_per_address = 32\n"));
    buf_fini(&text);
}

static void changes(void **unused)
{
    static struct config was, is;
    static struct config_change change;
    char why[CONFIG_WHY_LEN];
    size_t at = 0;

    (void)unused;
    assert_int_equal(load(&was, ARGS("--log-level=info"), why), ERR_OK);
    assert_int_equal(load(&is, ARGS("--log-level=debug", "--listen=[::1]:5", "--log-json"), why),
                     ERR_OK);
    assert_true(config_next_change(&was, &is, &at, &change));
    assert_string_equal(change.key, "listen");
    assert_string_equal(change.was, "127.0.0.1:1962");
    assert_string_equal(change.is, "[::1]:5");
    assert_false(change.live);
    assert_true(config_next_change(&was, &is, &at, &change));
    assert_string_equal(change.key, "level");
    assert_string_equal(change.is, "debug");
    assert_true(change.live);
    config_take_live(&was, &is);
    at = 0;
    assert_true(config_next_change(&was, &is, &at, &change));
    assert_string_equal(change.key, "listen");
    assert_false(config_next_change(&was, &is, &at, &change));
    assert_true(was.log_json);
}

static void help_names_every_option(void **unused)
{
    static const char *const words[] = {
        "--listen",    "--data",     "--config",       "--store",
        "--log-level", "--log-json", "--check-config", "[limits] connections_per_address"};
    struct buf out = BUF_EMPTY;

    (void)unused;
    config_help(&out);
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        assert_non_null(strstr(buf_str(&out), words[i]));
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),    cmocka_unit_test(command_line),
        cmocka_unit_test(wrong_words), cmocka_unit_test(file),
        cmocka_unit_test(wrong_files), cmocka_unit_test(help_names_every_option),
        cmocka_unit_test(drop_ins),    cmocka_unit_test(sample_is_the_table),
        cmocka_unit_test(changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
