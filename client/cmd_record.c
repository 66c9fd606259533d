/* SPDX-License-Identifier: ISC
 * cmd_record.c -- `skirmish record`: fetch a match's record, byte for byte, to standard output.
 */
#include <errno.h>

#include "client/app.h"
#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/str.h"

struct fetch {
    const struct options *opt;
    struct app *app;
    char *after; /* owned: the next page; NULL: the first */
};

static void ask(struct fetch *f);

static void refuse(struct fetch *f, const struct link_answer *a)
{
    struct buf text = BUF_EMPTY;

    words_safe(a->message, &text);
    app_leave(f->app, cmd_fail(a->err == ERR_BUSY ? EX_TEMPFAIL : EX_NOPERM, "no record: %s",
                               buf_str(&text)));
    buf_fini(&text);
}

static void on_page(void *data, const struct link_answer *a)
{
    struct fetch *f = data;
    const char *next = NULL, *line = NULL;

    if (a->err == ERR_EOF)
        return; /* asked again when the line is up */
    if (a->err != ERR_OK) {
        refuse(f, a);
        return;
    }
    for (const struct json *l = json_first(json_get(a->result, "lines")); l != NULL;
         l = json_next(l)) {
        if (json_string(l, &line))
            (void)printf("%s\n", line);
    }
    mem_free(f->after);
    f->after = NULL;
    if (json_get_string(a->result, "next", &next)) {
        f->after = mem_strdup(next);
        ask(f);
        return;
    }
    if (fflush(stdout) != 0)
        app_leave(f->app, cmd_fail(EX_IOERR, "standard output: %s", strerror(errno)));
    else
        app_leave(f->app, EX_OK);
}

static void ask(struct fetch *f)
{
    struct jsonw *w = link_begin(app_link(f->app), MSG_MATCH_RECORD);
    int64_t no;

    if (str_to_int(f->opt->wish.match, 1, UINT32_MAX, &no))
        jsonw_m_int(w, "match", no);
    else
        jsonw_m_str(w, "match", f->opt->wish.match);
    if (f->after != NULL)
        jsonw_m_str(w, "after", f->after);
    link_send(app_link(f->app), on_page, f);
}

static void on_begin(void *data, struct app *app)
{
    struct fetch *f = data;

    f->app = app;
}

static void on_up(void *data)
{
    ask(data);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct options opt;
    struct fetch f = {.opt = &opt};
    const struct app_front front = {.data = &f, .begin = on_begin, .up = on_up};
    const bool plain = argc > 1 && url_is_match(argv[1]);
    int code;

    if (plain) { /* `record 142`: a match of the usual server */
        argc--;
        argv++;
    }
    code = options_read(self, argc, argv, &opt);
    if (code != EX_OK)
        return code;
    if (plain)
        opt.wish.match = argv[0];
    if (opt.wish.match == NULL || opt.json)
        return cmd_usage(self);
    opt.has_wish = false;
    code = app_run(&opt, &front);
    mem_free(f.after);
    return code;
}

const struct command cmd_record = {
    .name = "record",
    .usage = "MATCH|URL/match/ID [--server URL] [--name N] > FILE",
    .help = "fetch a match's record",
    .run = run,
};
