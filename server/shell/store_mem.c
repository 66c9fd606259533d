/* SPDX-License-Identifier: ISC
 * A store without a disk: the same rows, the same answers, gone with the process.
 */
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/store_backend.h"

#define MEM_MAGIC 0x4d656d73u /* "Mems" */

/* A named value, user, token or share. */
struct mem_row {
    uint8_t key[64]; /* the name in lower case, or a token's hash; zeros behind it */
    char name[64];
    char *data;
    size_t len;
    struct mem_row *prev, *next;
};
/* Rows of one kind, in the order of their coming. */
struct mem_table {
    struct map map; /* owns its values */
    struct mem_row *first, *last;
};

struct mem_share {
    uint32_t roll;
    uint8_t share[FD1_LEN];
    bool there;
};
struct mem_match {
    uint8_t id[MATCH_ID_LEN];
    uint8_t state;
    uint32_t next_seq, snapshot_seq;
    struct buf data, snapshot, lines, timers;
    struct mem_share share[ROLE_COUNT];
    struct mem_match *next;
};

struct store_mem {
    struct store_backend base;
    unsigned magic;
    struct mem_table meta, users, tokens, invites;
    struct map matches;        /* owns its values */
    struct store_row *archive; /* owned, with their contents: row is the summary; by number */
    bool *hidden;              /* of each: private */
    size_t n_archive;
    struct buf *audit; /* owned */
    size_t n_audit;
    struct mem_match *first, *last;
};

static struct store_mem *mem_of(struct store_backend *b)
{
    struct store_mem *s = (struct store_mem *)b;

    CHECK(s != NULL && s->magic == MEM_MAGIC);
    return s;
}

static void name_key(uint8_t key[64], const char *name)
{
    memset(key, 0, 64);
    for (size_t i = 0; i < 63 && name[i] != '\0'; i++)
        key[i] = (uint8_t)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
}

static void row_free(struct mem_row *r)
{
    mem_free(r->data);
    mem_free(r);
}

static void drop_row(struct mem_table *t, const uint8_t key[64])
{
    struct mem_row *r = map_take(&t->map, key);

    if (r == NULL)
        return;
    if (r->prev != NULL)
        r->prev->next = r->next;
    else
        t->first = r->next;
    if (r->next != NULL)
        r->next->prev = r->prev;
    else
        t->last = r->prev;
    row_free(r);
}

static void put_row(struct mem_table *t, const uint8_t key[64], const struct store_op *op)
{
    struct mem_row *r;

    drop_row(t, key);
    r = mem_zalloc(sizeof(*r));
    memcpy(r->key, key, sizeof(r->key));
    (void)str_copy(r->name, sizeof(r->name), op->name);
    r->data = mem_strndup(op->data != NULL ? op->data : "", op->len);
    r->len = op->len;
    r->prev = t->last;
    if (t->last != NULL)
        t->last->next = r;
    else
        t->first = r;
    t->last = r;
    map_put(&t->map, r);
}

static void set_buf(struct buf *b, const struct store_op *op)
{
    buf_reset(b);
    buf_put(b, op->data != NULL ? op->data : "", op->len);
}

static void new_match(struct store_mem *s, const struct store_op *op)
{
    struct mem_match *m = mem_zalloc(sizeof(*m));

    memcpy(m->id, op->key, MATCH_ID_LEN);
    m->state = op->state;
    m->next_seq = 1;
    set_buf(&m->data, op);
    map_put(&s->matches, m);
    if (s->last != NULL)
        s->last->next = m;
    else
        s->first = m;
    s->last = m;
}

static void write_of_match(struct store_mem *s, const struct store_op *op)
{
    struct mem_match *m = map_get(&s->matches, op->key);

    CHECK(m != NULL);
    if (op->kind == STORE_MATCH_SET) {
        m->state = op->state;
        set_buf(&m->data, op);
    } else if (op->kind == STORE_ENTRIES) {
        CHECK(op->n > 0 && op->seq == m->next_seq);
        m->next_seq = op->seq + op->n;
        buf_put(&m->lines, op->data, op->len);
        buf_reset(&m->timers);
        buf_put(&m->timers, op->data + op->len, op->timers_len);
    } else if (op->kind == STORE_SNAPSHOT) {
        m->snapshot_seq = op->seq;
        set_buf(&m->snapshot, op);
    } else if (op->kind == STORE_SHARE) {
        CHECK(op->role < ROLE_COUNT && op->len == FD1_LEN);
        m->share[op->role] = (struct mem_share){.roll = op->seq, .there = true};
        memcpy(m->share[op->role].share, op->data, FD1_LEN);
    } else {
        CHECK(op->kind == STORE_SHARES_DROP);
        memset(m->share, 0, sizeof(m->share));
    }
}

static void match_free_rows(struct mem_match *m)
{
    buf_fini(&m->data);
    buf_fini(&m->snapshot);
    buf_fini(&m->lines);
    buf_fini(&m->timers);
    mem_free(m);
}

/* ---- the archive ---- */

static void drop_match(struct store_mem *s, const uint8_t *id)
{
    struct mem_match *m = map_take(&s->matches, id);
    struct mem_match *before = NULL;

    CHECK(m != NULL);
    for (struct mem_match *at = s->first; at != m; at = at->next)
        before = at;
    if (before != NULL)
        before->next = m->next;
    else
        s->first = m->next;
    if (s->last == m)
        s->last = before;
    match_free_rows(m);
}

static void archive_match(struct store_mem *s, const struct store_op *op)
{
    const struct store_archive *a = op->archive;
    size_t at = s->n_archive;
    struct store_row row = {.no = op->seq, .len = a->record_len, .row_len = a->summary_len};

    s->archive = mem_resize(s->archive, s->n_archive + 1, sizeof(*s->archive));
    s->hidden = mem_resize(s->hidden, s->n_archive + 1, sizeof(*s->hidden));
    while (at > 0 && s->archive[at - 1].no > row.no)
        at--;
    memmove(&s->archive[at + 1], &s->archive[at], (s->n_archive - at) * sizeof(*s->archive));
    memmove(&s->hidden[at + 1], &s->hidden[at], (s->n_archive - at) * sizeof(*s->hidden));
    memcpy(row.id, op->key, MATCH_ID_LEN);
    memcpy(row.name, a->name, sizeof(row.name));
    row.data = mem_strndup(a->record, a->record_len);
    row.row = mem_strndup(a->summary, a->summary_len);
    s->archive[at] = row;
    s->hidden[at] = a->is_private;
    s->n_archive++;
    drop_match(s, op->key);
}

static void rename_archived(struct store_mem *s, const struct store_op *op)
{
    for (size_t i = 0; i < s->n_archive; i++)
        for (int k = 0; k < 2; k++)
            if (str_ieq(s->archive[i].name[k], op->name))
                (void)str_copy(s->archive[i].name[k], sizeof(s->archive[i].name[k]), op->data);
}

static void add_audit(struct store_mem *s, const struct store_op *op)
{
    s->audit = mem_resize(s->audit, s->n_audit + 1, sizeof(*s->audit));
    s->audit[s->n_audit] = BUF_EMPTY;
    buf_put(&s->audit[s->n_audit++], op->data, op->len);
}

static void write_op(struct store_mem *s, const struct store_op *op)
{
    uint8_t name[64];
    uint8_t hash[64] = {0};

    name_key(name, op->name);
    memcpy(hash, op->key, sizeof(op->key));
    switch ((enum store_op_kind)op->kind) {
    case STORE_MATCH_NEW:
        new_match(s, op);
        break;
    case STORE_MATCH_SET:
    case STORE_ENTRIES:
    case STORE_SNAPSHOT:
    case STORE_SHARE:
    case STORE_SHARES_DROP:
        write_of_match(s, op);
        break;
    case STORE_USER_PUT:
        put_row(&s->users, name, op);
        break;
    case STORE_USER_DROP:
        drop_row(&s->users, name);
        break;
    case STORE_TOKEN_PUT:
        put_row(&s->tokens, hash, op);
        break;
    case STORE_TOKEN_DROP:
        drop_row(&s->tokens, hash);
        break;
    case STORE_INVITE_PUT:
        put_row(&s->invites, hash, op);
        break;
    case STORE_INVITE_DROP:
        drop_row(&s->invites, hash);
        break;
    case STORE_META_PUT:
        put_row(&s->meta, name, op);
        break;
    case STORE_META_DROP:
        drop_row(&s->meta, name);
        break;
    case STORE_ARCHIVE:
        archive_match(s, op);
        break;
    case STORE_RENAME:
        rename_archived(s, op);
        break;
    case STORE_AUDIT:
        add_audit(s, op);
        break;
    }
}

static enum err memory_commit(struct store_backend *b, const struct store_group *g,
                              char why[STORE_WHY_LEN])
{
    why[0] = '\0';
    for (size_t i = 0; i < g->n; i++) {
        for (size_t k = 0; k < g->txn[i]->n; k++)
            write_op(mem_of(b), &g->txn[i]->op[k]);
    }
    return ERR_OK;
}

static enum err memory_meta(struct store_backend *b, const char *name, struct buf *out)
{
    uint8_t key[64];
    const struct mem_row *r;

    name_key(key, name);
    r = map_get(&mem_of(b)->meta.map, key);
    if (r == NULL)
        return ERR_NOT_FOUND;
    buf_put(out, r->data, r->len);
    return ERR_OK;
}

static void give_match(const struct mem_match *m, const struct store_sink *sink)
{
    struct core_match_row row = {.state = m->state,
                                 .data = m->data.data,
                                 .lines = buf_str(&m->lines),
                                 .timers = buf_str(&m->timers),
                                 .timers_len = m->timers.len,
                                 .data_len = m->data.len,
                                 .lines_len = m->lines.len};

    memcpy(row.id, m->id, MATCH_ID_LEN);
    if (m->snapshot.len > 0) {
        row.snapshot = m->snapshot.data;
        row.snapshot_len = m->snapshot.len;
        row.snapshot_seq = m->snapshot_seq;
    }
    sink->match(sink->arg, &row);
}

static enum err memory_load(struct store_backend *b, const struct store_sink *sink,
                            char why[STORE_WHY_LEN])
{
    const struct store_mem *s = mem_of(b);

    why[0] = '\0';
    for (const struct mem_row *r = s->meta.first; r != NULL; r = r->next)
        sink->meta(sink->arg, r->name, r->data);
    for (const struct mem_row *r = s->users.first; r != NULL; r = r->next)
        sink->user(sink->arg, r->name, r->data, r->len);
    for (const struct mem_row *r = s->tokens.first; r != NULL; r = r->next)
        sink->token(sink->arg, r->key, r->name, r->data, r->len);
    for (const struct mem_row *r = s->invites.first; r != NULL; r = r->next)
        sink->invite(sink->arg, r->key, r->data, r->len);
    for (const struct mem_match *m = s->first; m != NULL; m = m->next)
        give_match(m, sink);
    for (const struct mem_match *m = s->first; m != NULL; m = m->next) {
        for (int role = 0; role < ROLE_COUNT; role++) {
            if (m->share[role].there)
                sink->share(sink->arg, m->id, (enum role)role, m->share[role].roll,
                            m->share[role].share);
        }
    }
    return ERR_OK;
}

static bool plays(const struct store_row *row, const char *name)
{
    return name[0] == '\0' || str_ieq(row->name[0], name) || str_ieq(row->name[1], name);
}

static void give_row(const struct store_row *row, bool summary, struct store_found *out)
{
    struct store_row *to = store_found_add(out);

    *to = *row;
    to->row = NULL;
    to->row_len = 0;
    to->len = summary ? row->row_len : row->len;
    to->data = mem_strndup(summary ? row->row : row->data, to->len);
}

static void read_played(const struct store_mem *s, const struct store_read *r,
                        struct store_found *out)
{
    for (size_t i = s->n_archive; i-- > 0 && out->n < r->limit;) {
        const struct store_row *row = &s->archive[i];

        if ((r->no == 0 || row->no < r->no) &&
            (r->hidden || !s->hidden[i] || (r->viewer[0] != '\0' && plays(row, r->viewer))) &&
            row->name[1][0] != '\0' && plays(row, r->name[0]) && plays(row, r->name[1]))
            give_row(row, true, out);
    }
}

static void read_record(const struct store_mem *s, const struct store_read *r,
                        struct store_found *out)
{
    for (size_t i = 0; i < s->n_archive && out->n == 0; i++) {
        const struct store_row *row = &s->archive[i];
        const bool wanted = r->what == READ_AFTER ? row->no > r->no
                            : r->no != 0          ? row->no == r->no
                                                  : memcmp(row->id, r->key, MATCH_ID_LEN) == 0;

        if (wanted)
            give_row(row, false, out);
    }
}

static void read_live(const struct store_mem *s, const struct store_read *r,
                      struct store_found *out)
{
    const struct mem_match *m = map_get(&s->matches, r->key);
    struct store_row *row;

    if (m == NULL)
        return;
    row = store_found_add(out);
    memcpy(row->id, m->id, MATCH_ID_LEN);
    row->len = m->lines.len;
    row->data = mem_strndup(buf_str(&m->lines), m->lines.len);
    row->row_len = m->data.len;
    row->row = mem_strndup(buf_str(&m->data), m->data.len);
    row->timers_len = m->timers.len;
    row->timers = mem_strndup(buf_str(&m->timers), m->timers.len);
}

static void memory_read(struct store_backend *b, const struct store_read *r,
                        struct store_found *out)
{
    const struct store_mem *s = mem_of(b);

    switch ((enum store_read_kind)r->what) {
    case READ_ARCHIVED:
    case READ_AFTER:
        read_record(s, r, out);
        break;
    case READ_PLAYED:
        read_played(s, r, out);
        break;
    case READ_LIVE:
        read_live(s, r, out);
        break;
    case READ_AUDIT:
        for (size_t i = s->n_audit; i-- > 0 && out->n < r->limit;) {
            struct store_row *row = store_found_add(out);

            row->len = s->audit[i].len;
            row->data = mem_strndup(buf_str(&s->audit[i]), s->audit[i].len);
        }
        break;
    case READ_CHECK:
        break;
    }
}

static bool memory_rest(const struct store_backend *b)
{
    (void)b;
    return false;
}

static enum err memory_no_rest(struct store_backend *b, char why[STORE_WHY_LEN])
{
    (void)b;
    why[0] = '\0';
    return ERR_OK;
}

static void table_fini(struct mem_table *t)
{
    while (t->first != NULL) {
        struct mem_row *r = t->first;

        t->first = r->next;
        row_free(r);
    }
    map_fini(&t->map);
}

static void memory_close(struct store_backend *b)
{
    struct store_mem *s = mem_of(b);

    table_fini(&s->meta);
    table_fini(&s->users);
    table_fini(&s->tokens);
    table_fini(&s->invites);
    while (s->first != NULL) {
        struct mem_match *m = s->first;

        s->first = m->next;
        match_free_rows(m);
    }
    map_fini(&s->matches);
    for (size_t i = 0; i < s->n_archive; i++) {
        mem_free(s->archive[i].data);
        mem_free(s->archive[i].row);
    }
    for (size_t i = 0; i < s->n_audit; i++)
        buf_fini(&s->audit[i]);
    mem_free(s->archive);
    mem_free(s->hidden);
    mem_free(s->audit);
    s->magic = 0;
    mem_free(s);
}

static const struct store_backend_class memory_class = {
    .name = "memory",
    .meta = memory_meta,
    .load = memory_load,
    .commit = memory_commit,
    .read = memory_read,
    .wants_rest = memory_rest,
    .needs_rest = memory_rest,
    .rest = memory_no_rest,
    .close = memory_close,
};

void store_open_memory(struct store **out)
{
    static const uint64_t seed[2] = {0}; /* for tests and benchmarks: nobody attacks it */
    struct store_mem *s = mem_zalloc(sizeof(*s));

    s->base.class = &memory_class;
    s->magic = MEM_MAGIC;
    map_init(&s->meta.map, offsetof(struct mem_row, key), sizeof(((struct mem_row *)0)->key), seed);
    map_init(&s->users.map, offsetof(struct mem_row, key), sizeof(((struct mem_row *)0)->key),
             seed);
    map_init(&s->tokens.map, offsetof(struct mem_row, key), sizeof(((struct mem_row *)0)->key),
             seed);
    map_init(&s->invites.map, offsetof(struct mem_row, key), sizeof(((struct mem_row *)0)->key),
             seed);
    map_init(&s->matches, offsetof(struct mem_match, id), MATCH_ID_LEN, seed);
    *out = store_new(&s->base);
}
