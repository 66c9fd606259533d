/* SPDX-License-Identifier: ISC
 * tui_views.c -- the screens as text: both scales, sizes, alphabets, every phase of a game.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_tui.h"

/* 3in, obstacles, heights, a wave; small enough to be read. */
static const char stacked[] =
    "{\"format\":1,\"id\":\"stacked\",\"title\":\"Ranks\",\"author\":\"A\",\"summary\":\"S\","
    "\"scale\":\"3in\",\"size\":[6,6],\"turns\":9,"
    "\"ground\":[\".w~...\",\"......\",\"rrrrrr\",\"..B.V.\",\"......\",\"......\"],"
    "\"heights\":[\"000000\",\"000012\",\"000000\",\"000000\",\"005000\",\"000000\"],"
    "\"obstacles\":[{\"kind\":\"wall\",\"edges\":[\"b2n\",\"c2e\"]},"
    "{\"kind\":\"fence\",\"edges\":[\"a4e\"]},{\"kind\":\"stream\",\"edges\":[\"d3n\",\"d3e\"]},"
    "{\"kind\":\"barricade\",\"edges\":[\"f1n\"]}],"
    "\"sides\":[{\"id\":\"red\",\"name\":\"Red\",\"home\":\"s\",\"win\":["
    "{\"kind\":\"exit\",\"figures\":[\"r1\",\"r2\"],\"count\":1,\"edge\":\"s\"},"
    "{\"kind\":\"hold\",\"squares\":[\"a6\",\"b5\"]},{\"kind\":\"survive\",\"turn\":8}]},"
    "{\"id\":\"blue\",\"name\":\"Blue\",\"home\":\"n\"}],"
    "\"figures\":["
    "{\"id\":\"r1\",\"side\":\"red\",\"type\":\"regular\",\"at\":\"b1\",\"face\":\"n\","
    "\"commander\":true,\"name\":\"Dupont\"},"
    "{\"id\":\"r2\",\"side\":\"red\",\"type\":\"regular\",\"at\":\"b1\",\"face\":\"n\"},"
    "{\"id\":\"r3\",\"side\":\"red\",\"type\":\"mounted\",\"at\":\"b1\",\"face\":\"e\"},"
    "{\"id\":\"w1\",\"side\":\"red\",\"type\":\"wagon\",\"at\":\"c4\",\"face\":\"w\"},"
    "{\"id\":\"n1\",\"side\":\"blue\",\"type\":\"irregular\",\"at\":\"b3\",\"face\":\"s\"},"
    "{\"id\":\"n2\",\"side\":\"blue\",\"type\":\"irregular\",\"at\":\"b3\",\"face\":\"s\"},"
    "{\"id\":\"c1\",\"side\":\"blue\",\"type\":\"civilian\",\"at\":\"e5\",\"face\":\"w\"}],"
    "\"waves\":[{\"side\":\"blue\",\"turn\":4,\"edge\":\"e\",\"figures\":[{\"id\":\"b9\","
    "\"type\":\"irregular\"}]}]}";

static void first_blood(struct stage *s)
{
    stage_init(s, "first-blood", "52");
    assert_int_equal(s->scene.s->active, RULES_A);
}

static void test_ready(void **state)
{
    struct stage s;

    (void)state;
    first_blood(&s);
    stage_sit(&s, RULES_A);
    stage_choose(&s, "r3");
    s.scene.player[0].known = true;
    s.scene.player[0].online = true;
    s.scene.player[1].known = true;
    s.scene.player[1].away_ms = 65000;
    s.scene.player[0].has_left = true;
    s.scene.player[0].left_ms = 760000;
    s.scene.player[1].has_left = true;
    s.scene.player[1].left_ms = 845000;
    s.scene.running = RULES_A;
    s.scene.spectators = 4;
    stage_shot(&s, "match-80x24", 80, 24, false);
    stage_shot(&s, "match-132x43", 132, 43, false);
    stage_shot(&s, "match-ascii", 80, 24, true);
    stage_fini(&s);
}

/* Red walks and fires, Blue falls back, hand-to-hand, the end. */
static void test_phases(void **state)
{
    struct stage s;

    (void)state;
    first_blood(&s);
    stage_order(&s, "m r3 f4 n");
    stage_sit(&s, RULES_B);
    stage_shot(&s, "phase-theirs", 80, 24, false);
    stage_order(&s, "e");
    stage_sit(&s, RULES_B);
    stage_order(&s, "m n3 f7 s");
    stage_choose(&s, "n1");
    stage_shot(&s, "phase-mine", 80, 24, false);
    s.dice = "53461";
    s.dice_at = 0;
    stage_order(&s, "e");
    stage_sit(&s, (enum rules_side)s.scene.s->active);
    stage_shot(&s, "phase-turn2", 80, 24, false);
    s.scene.a = &s.local.audit;
    s.local.audit.paused = true;
    stage_shot(&s, "phase-paused", 80, 24, false);
    s.local.audit.paused = false;
    s.local.audit.roll_seq = 7;
    s.scene.busy = true;
    stage_shot(&s, "phase-roll", 80, 24, false);
    stage_fini(&s);
}

static void test_before_and_after(void **state)
{
    struct stage s;

    (void)state;
    first_blood(&s);
    s.local.audit.started = false;
    stage_sit(&s, RULES_A);
    stage_shot(&s, "phase-setup", 80, 24, false);
    s.local.audit.started = true;
    s.local.audit.over = true;
    s.local.audit.winner = RULES_B;
    s.local.audit.reason = RULES_BY_RESIGN;
    s.local.audit.game.rules.state.reason = RULES_BY_RESIGN;
    s.local.audit.game.rules.state.winner = RULES_B;
    stage_shot(&s, "phase-over", 80, 24, false);
    stage_fini(&s);
}

static void test_scale_3in(void **state)
{
    struct stage s;
    const struct select_place *at;
    struct select_place place;

    (void)state;
    stage_init(&s, stacked, "5231");
    stage_sit(&s, RULES_A);
    place = (struct select_place){s.scn, s.scene.a->board, s.scene.s, RULES_A};
    at = &place;
    stage_choose(&s, "r1");
    stage_shot(&s, "ranks-one", 80, 24, false);
    select_group(&s.table.select, at);
    assert_int_equal(s.table.select.n, 3);
    stage_shot(&s, "ranks-group", 80, 24, false);
    stage_shot(&s, "ranks-ascii", 80, 24, true);
    s.table.zoom_set = true;
    s.table.large = false;
    stage_shot(&s, "ranks-small", 80, 24, false);
    stage_fini(&s);
}

static void test_trouble_and_questions(void **state)
{
    struct stage s;

    (void)state;
    first_blood(&s);
    stage_sit(&s, RULES_A);
    s.scene.status = "The server does not answer (connection refused). Try 3 in 4 s.";
    s.table.ask = ACT_END_PHASE;
    stage_shot(&s, "trouble", 80, 24, false);
    s.table.ask = ACT_NONE;
    s.table.prompt = PROMPT_ORDER;
    field_set(&s.table.field, "m r3 f5 n");
    (void)str_copy(s.table.note, sizeof(s.table.note), "Not that (R12): too far.");
    stage_shot(&s, "prompt", 80, 24, false);
    assert_int_equal(s.canvas.caret_x, 3 + 9);
    stage_fini(&s);
}

static void test_over(void **state)
{
    struct stage s;

    (void)state;
    first_blood(&s);
    stage_sit(&s, RULES_A);
    s.table.over = TABLE_HELP;
    stage_shot(&s, "help", 80, 24, false);
    s.table.over_at = 1000;
    stage_shot(&s, "help-end", 80, 24, false);
    s.table.over = TABLE_INFO;
    s.table.over_at = 0;
    stage_shot(&s, "info", 80, 24, false);
    s.table.over = TABLE_LUCK;
    stage_shot(&s, "luck", 80, 24, false);
    stage_fini(&s);
}

static void test_looking_back(void **state)
{
    struct stage s;
    struct rules_state then;

    (void)state;
    first_blood(&s);
    stage_order(&s, "m r3 f4 n");
    stage_order(&s, "m r1 b3 n");
    stage_order(&s, "u");
    stage_order(&s, "e");
    s.scene.at = film_turn(&s.local.film, 1) + 2;
    assert_true(film_state(&s.local.film, s.scene.a->board, s.scene.at, &then));
    s.scene.s = &then;
    s.scene.kind = SCENE_REPLAY;
    stage_sit(&s, RULES_NOBODY);
    stage_shot(&s, "replay", 80, 24, false);
    stage_fini(&s);
}

/* Every position that the film gives back is the one that was. */
static void test_film(void **state)
{
    struct stage s;
    struct rules_state was[64], is;
    size_t n = 0;
    static const char *const orders[] = {"m r3 f4 n", "m r1 b3 n", "u",         "t r1 e",
                                         "u",         "e",         "m n3 f7 s", "e"};

    (void)state;
    first_blood(&s);
    for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
        const size_t before = s.local.film.n;

        stage_order(&s, orders[i]);
        if (s.local.film.n > before) {
            was[n] = *s.scene.s;
            assert_true(film_state(&s.local.film, s.scene.a->board, s.local.film.n - 1, &is));
            assert_memory_equal(&is, &was[n], sizeof(is));
            n++;
        }
    }
    assert_true(film_their_phase(&s.local.film, RULES_A) < s.local.film.n);
    assert_int_equal(film_turn(&s.local.film, 99), s.local.film.n);
    stage_fini(&s);
}

static void test_small_windows(void **state)
{
    struct canvas c;
    char name[32];

    (void)state;
    canvas_init(&c, 1, 1, false);
    for (int w = 1; w <= 90; w += 7) {
        for (int h = 1; h <= 30; h += 3) {
            canvas_reset(&c, w, h, false);
            assert_int_equal(view_small(&c, "It is your turn."), w < VIEW_COLS || h < VIEW_ROWS);
        }
    }
    canvas_reset(&c, 40, 6, false);
    assert_true(view_small(&c, "It is your turn."));
    (void)snprintf(name, sizeof(name), "small-40x6");
    golden_canvas(&c, name);
    canvas_fini(&c);
}

/* ---- the lobby ---- */

static const char listed[] =
    "{\"matches\":["
    "{\"match\":\"00000000000000000000000000000001\",\"no\":142,\"state\":\"live\",\"scenario\":"
    "\"first-blood\",\"title\":\"First Blood\",\"maker\":\"Ann\",\"joiner\":\"Moktar\",\"side\":"
    "\"red\",\"clock\":{\"kind\":\"live\",\"main_s\":1200,\"phase_s\":30},\"rated\":true,"
    "\"private\":false,\"turn\":3,\"spectators\":0},"
    "{\"match\":\"00000000000000000000000000000002\",\"no\":145,\"state\":\"live\",\"scenario\":"
    "\"first-blood\",\"title\":\"First Blood\",\"maker\":\"Kim\",\"joiner\":\"Lee\",\"side\":"
    "\"random\",\"clock\":{\"kind\":\"none\"},\"rated\":false,\"private\":false,\"turn\":9,"
    "\"spectators\":4},"
    "{\"match\":\"00000000000000000000000000000003\",\"no\":150,\"state\":\"open\",\"scenario\":"
    "\"tin-lizzy-down\",\"title\":\"Tin \\u001b[31mLizzy\\u202e Down\",\"maker\":\"Jo\",\"side\":"
    "\"random\",\"clock\":{\"kind\":\"correspondence\",\"days\":1},\"rated\":false,"
    "\"private\":false,\"spectators\":0},"
    "{\"match\":\"00000000000000000000000000000004\",\"no\":151,\"state\":\"open\",\"scenario\":"
    "\"first-blood\",\"title\":\"First Blood\",\"maker\":\"Sam\",\"opponent\":\"Ann\",\"side\":"
    "\"red\",\"clock\":{\"kind\":\"live\",\"main_s\":1800,\"phase_s\":0},\"rated\":false,"
    "\"private\":false,\"spectators\":0}]}";
static const char mine[] =
    "{\"matches\":[{\"match\":\"00000000000000000000000000000001\",\"no\":142,\"state\":\"live\","
    "\"scenario\":\"first-blood\",\"title\":\"First Blood\",\"maker\":\"Ann\",\"joiner\":"
    "\"Moktar\",\"side\":\"red\",\"clock\":{\"kind\":\"live\",\"main_s\":1200,\"phase_s\":30},"
    "\"rated\":true,\"private\":false,\"turn\":3,\"spectators\":0,\"role\":\"A\",\"your_side\":"
    "\"red\",\"left\":{\"red\":760000,\"blue\":845000},\"mine\":true}]}";
static const char here[] =
    "{\"online\":[{\"name\":\"Ann\"},{\"name\":\"Moktar\"},{\"name\":\"Jo\"}]}";

static void take(struct lobby *l, void (*fn)(struct lobby *, const struct json *), const char *text)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;

    assert_int_equal(json_parse(text, strlen(text), &json_file_limits, &j, why), ERR_OK);
    fn(l, j);
    json_free(j);
}

static void test_lobby(void **state)
{
    struct lobby l;
    struct lobby_place p = {.status = "", .note = ""};
    struct keymap km;
    struct canvas c;
    enum lobby_part part;

    (void)state;
    keymap_init(&km);
    canvas_init(&c, 80, 24, false);
    lobby_init(&l);
    (void)str_copy(l.server, sizeof(l.server), "skirmish://club.example:1962");
    (void)str_copy(l.user, sizeof(l.user), "Ann");
    view_lobby(&c, &km, &l, &p);
    golden_canvas(&c, "lobby-empty");
    take(&l, lobby_take_list, listed);
    take(&l, lobby_take_mine, mine);
    take(&l, lobby_take_online, here);
    take(&l, lobby_take_me,
         "{\"player\":{\"name\":\"Ann\",\"rating\":{\"rating\":1534,\"deviation\":62,"
         "\"games\":12}}}");
    assert_int_equal(lobby_my_turns(&l), 1);
    assert_int_equal(view_lobby_rows(&l), 4);
    assert_int_equal(view_lobby_at(&l, 1, &part)->no, 151);
    assert_int_equal(part, LOBBY_CHALLENGES);
    canvas_reset(&c, 80, 24, false);
    view_lobby(&c, &km, &l, &p);
    golden_canvas(&c, "lobby");
    canvas_reset(&c, 132, 43, true);
    p.cursor = 99;
    p.status = "No answer from the server. Try 2 in 1 s.";
    view_lobby(&c, &km, &l, &p);
    golden_canvas(&c, "lobby-132x43-ascii");
    lobby_fini(&l);
    canvas_fini(&c);
}

/* Lists over the lobby: the ladder, and a player whose words take more than a line. */
static void test_lists(void **state)
{
    static const char *const ranks[] = {"   1. Ann                   1534 +/-62   12 games  here",
                                        "   2. Moktar                1490 +/-80    9 games"};
    struct list_page p = {.title = "The ladder", .head = "Rated players.", .foot = "Nobody."};
    struct keymap km;
    struct canvas c;

    (void)state;
    keymap_init(&km);
    canvas_init(&c, 80, 24, false);
    view_list(&c, &km, &p);
    golden_canvas(&c, "list-empty");
    p.row = ranks;
    p.n = 2;
    p.cursor = 9;
    p.rivals = p.pairs = true;
    p.head = "Moktar, member since 2026-11-30, here. Rated 1490 +/-80 after 9 games. 12 games in "
             "all: 5 won, 6 lost, 1 drawn.\nMoktar against Ann: 1 won, 2 lost, 0 drawn.";
    canvas_reset(&c, 80, 24, true);
    view_list(&c, &km, &p);
    golden_canvas(&c, "list-player-ascii");
    assert_int_equal(p.cursor, 1);
    canvas_fini(&c);
}

static bool gone(struct lobby *l, const char *text)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    bool ours;

    assert_int_equal(json_parse(text, strlen(text), &json_file_limits, &j, why), ERR_OK);
    ours = lobby_take_event(l, j);
    json_free(j);
    return ours;
}

static void test_lobby_events(void **state)
{
    struct lobby l;
    const struct lobby_match *m[LOBBY_MATCHES_MAX];

    (void)state;
    lobby_init(&l);
    (void)str_copy(l.user, sizeof(l.user), "Ann");
    take(&l, lobby_take_list, listed);
    take(&l, lobby_take_mine, mine);
    take(&l, lobby_take_online, here);
    assert_false(gone(&l, "{\"kind\":\"offline\",\"user\":{\"name\":\"Jo\"}}"));
    assert_int_equal(l.n_online, 2);
    assert_false(gone(&l, "{\"kind\":\"online\",\"user\":{\"name\":\"Zoe\"}}"));
    assert_int_equal(l.n_online, 3);
    assert_false(gone(&l, "{\"kind\":\"gone\",\"match\":\"00000000000000000000000000000003\"}"));
    assert_int_equal(lobby_part(&l, LOBBY_TO_JOIN, m), 0);
    assert_true(gone(&l, "{\"kind\":\"gone\",\"match\":\"00000000000000000000000000000001\"}"));
    assert_int_equal(lobby_part(&l, LOBBY_MINE, m), 0);
    lobby_fini(&l);
}

static void test_scenarios_and_forms(void **state)
{
    struct scenario_set set;
    struct keymap km;
    struct canvas c;
    struct form form;
    struct form_row *row;

    (void)state;
    keymap_init(&km);
    canvas_init(&c, 80, 24, false);
    scenario_set_init(&set);
    view_scenarios(&c, &km, &set, 1, "play");
    assert_true(set.len >= 3);
    form_init(&form, "First start", "go on");
    (void)form_add(&form, "Server", "Where you play.", "127.0.0.1:1962");
    row = form_add(&form, "Account", "A guest needs no password.", NULL);
    form_choice(row, "guest");
    form_choice(row, "log in");
    canvas_reset(&c, 80, 24, false);
    assert_int_equal(form_key(&form, &km, KEY_K_DOWN), FORM_GOES_ON);
    assert_int_equal(form_key(&form, &km, KEY_K_RIGHT), FORM_GOES_ON);
    assert_int_equal(row->at, 1);
    form_draw(&form, &c, &km);
    golden_canvas(&c, "form");
    assert_int_equal(form_key(&form, &km, KEY_K_ENTER), FORM_GOES_ON);
    assert_int_equal(form_key(&form, &km, KEY_K_ENTER), FORM_DONE);
    assert_int_equal(form_key(&form, &km, KEY_K_ESC), FORM_LEFT);
    scenario_set_fini(&set);
    canvas_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_before_and_after),
        cmocka_unit_test(test_scale_3in),
        cmocka_unit_test(test_trouble_and_questions),
        cmocka_unit_test(test_over),
        cmocka_unit_test(test_looking_back),
        cmocka_unit_test(test_film),
        cmocka_unit_test(test_small_windows),
        cmocka_unit_test(test_lobby),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_lobby_events),
        cmocka_unit_test(test_scenarios_and_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
