/* The list: what the cursor, the marks and the order do while rows come and go. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "views/list.h"

struct row {
  struct row_key key;
  const char *name;
  int size;
  bool bad;
};

static void text_name(const void *row, const struct list_env *env, struct buf *out)
{
  const struct row *r = row;
  (void)env;
  buf_adds(out, r->name);
}

static void text_size(const void *row, const struct list_env *env, struct buf *out)
{
  const struct row *r = row;
  (void)env;
  buf_addf(out, "%d", r->size);
}

static int by_name(const void *a, const void *b, const struct list_env *env)
{
  const struct row *x = a, *y = b;
  (void)env;
  return text_compare(x->name, y->name);
}

static int by_size(const void *a, const void *b, const struct list_env *env)
{
  const struct row *x = a, *y = b;
  (void)env;
  return x->size < y->size ? -1 : x->size > y->size;
}

static bool is_bad(const void *row)
{
  const struct row *r = row;
  return r->bad;
}

static const struct list_column columns[] = {
    {.title = "NAME",
     .word = "name",
     .min = 6,
     .max = 20,
     .worth = 100,
     .name = true,
     .searched = true,
     .text = text_name,
     .compare = by_name},
    {.title = "SIZE",
     .word = "size",
     .min = 5,
     .max = 5,
     .worth = 50,
     .align = TEXT_RIGHT,
     .text = text_size,
     .compare = by_size,
     .big_first = true},
};
static const struct list_ops ops = {
    .row_size = sizeof(struct row), .columns = columns, .column_count = 2, .fixed = 1, .problem = is_bad};

/* Rows from a string of names, one letter each; a letter in upper case is a problem. The key is the letter, the size its place. */
static void fill(struct list *l, const char *names)
{
  static char texts[256][2];
  list_begin(l, &(struct list_env){.strings = NULL, .now_ms = 0, .zone = WHEN_UTC});
  for (const char *n = names; *n != '\0'; n++) {
    struct row *r = list_add(l);
    texts[(unsigned char)*n][0] = *n;
    r->key = row_key_of_number(*n);
    r->name = texts[(unsigned char)*n];
    r->size = (int)(n - names);
    r->bad = *n >= 'A' && *n <= 'Z';
  }
  list_end(l);
}

static char selected(const struct list *l)
{
  const struct row *r = list_current(l);
  return r != NULL ? r->name[0] : '-';
}

static const char *shown(const struct list *l)
{
  static char text[256];
  for (size_t i = 0; i < l->shown; i++) {
    const struct row *r = list_row(l, i);
    text[i] = r->name[0];
  }
  text[l->shown] = '\0';
  return text;
}

static void select_row(struct list *l, char name)
{
  struct row_key key = row_key_of_number(name);
  assert_true(list_select(l, &key));
}

/* Case I10, and its neighbours: rows before, what is selected, rows after, what must be selected then. */
static void selection_follows_the_id(void **state)
{
  static const struct {
    const char *before;
    char at;
    const char *after;
    char want;
  } cases[] = {
      {"abc", 'c', "ab", 'b'},    /* the last row gone selects the one above */
      {"abc", 'b', "nabc", 'b'},  /* a row comes in above */
      {"abc", 'b', "", '-'},      /* nothing is left */
      {"abc", 'b', "ac", 'c'},    /* a row in the middle gone: what is at its place now */
      {"abc", 'a', "cba", 'a'},   /* other order */
      {"abc", 'a', "nmabc", 'a'}, /* not the top: the id */
      {"", '-', "abc", 'a'},      /* the first rows of all */
      {"abcdef", 'f', "ab", 'b'}, /* many gone */
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct list l;
    list_init(&l, &ops);
    fill(&l, cases[i].before);
    if (cases[i].at != '-') {
      select_row(&l, cases[i].at);
    }
    fill(&l, cases[i].after);
    assert_int_equal(selected(&l), cases[i].want);
    list_fini(&l);
  }
}

/* The steps of I10 in a row, on one list. */
static void selection_over_many_steps(void **state)
{
  struct list l;
  (void)state;
  list_init(&l, &ops);
  fill(&l, "abc");
  select_row(&l, 'c');
  fill(&l, "ab");
  assert_int_equal(selected(&l), 'b');
  fill(&l, "nab");
  assert_int_equal(selected(&l), 'b');
  fill(&l, "");
  assert_null(list_current(&l));
  list_act(&l, ACTION_DOWN);
  list_act(&l, ACTION_MARK);
  list_act(&l, ACTION_NEXT_FAILURE);
  list_act(&l, ACTION_LAST);
  fill(&l, "xyz");
  assert_non_null(list_current(&l));
  list_fini(&l);
}

static void moving(void **state)
{
  struct list l;
  (void)state;
  list_init(&l, &ops);
  fill(&l, "abcdefghij");
  l.height = 4;
  list_act(&l, ACTION_DOWN);
  assert_int_equal(selected(&l), 'b');
  list_act(&l, ACTION_PAGE_DOWN);
  assert_int_equal(selected(&l), 'e');
  list_act(&l, ACTION_LAST);
  assert_int_equal(selected(&l), 'j');
  list_act(&l, ACTION_DOWN);
  assert_int_equal(selected(&l), 'j');
  list_act(&l, ACTION_FIRST);
  list_act(&l, ACTION_UP);
  assert_int_equal(selected(&l), 'a');
  assert_false(list_act(&l, ACTION_HELP));
  list_fini(&l);
}

static void sorting_is_stable_and_follows(void **state)
{
  struct list l;
  (void)state;
  list_init(&l, &ops);
  fill(&l, "dbca");
  select_row(&l, 'c');
  list_set_sort(&l, list_find_column(&l, "name"), false);
  assert_string_equal(shown(&l), "abcd");
  assert_int_equal(selected(&l), 'c');
  list_set_sort(&l, 0, true);
  assert_string_equal(shown(&l), "dcba");
  list_set_sort(&l, list_find_column(&l, "size"), true);
  assert_string_equal(shown(&l), "acbd");
  list_set_sort(&l, -1, false);
  assert_string_equal(shown(&l), "dbca");
  assert_int_equal(list_find_column(&l, "nothing"), -1);
  assert_int_equal(selected(&l), 'c');
  list_fini(&l);
}

static void filtering(void **state)
{
  struct list l;
  struct buf caption;
  (void)state;
  list_init(&l, &ops);
  buf_init(&caption, 200);
  fill(&l, "abCdEf");
  select_row(&l, 'd');
  list_set_filter(&l, "c");
  assert_string_equal(shown(&l), "C"); /* letters of either case */
  list_set_filter(&l, "zzz");
  assert_int_equal(l.shown, 0);
  assert_null(list_current(&l));
  list_set_filter(&l, "");
  assert_int_equal(l.shown, 6);
  list_set_problems_only(&l, true);
  assert_string_equal(shown(&l), "CE");
  list_write_caption(&l, "rows", &caption);
  assert_string_equal(caption.data, "2 of 6 rows, problems only");
  list_set_problems_only(&l, false);
  list_act(&l, ACTION_FIRST);
  list_act(&l, ACTION_NEXT_FAILURE);
  assert_int_equal(selected(&l), 'C');
  list_act(&l, ACTION_NEXT_FAILURE);
  assert_int_equal(selected(&l), 'E');
  list_act(&l, ACTION_NEXT_FAILURE);
  assert_int_equal(selected(&l), 'C');
  list_act(&l, ACTION_PREV_FAILURE);
  assert_int_equal(selected(&l), 'E');
  buf_fini(&caption);
  list_fini(&l);
}

static void marks_stay_with_their_rows(void **state)
{
  struct list l;
  const void **rows = NULL;
  (void)state;
  list_init(&l, &ops);
  fill(&l, "abcd");
  list_act(&l, ACTION_MARK); /* a, and one down */
  list_act(&l, ACTION_MARK); /* b */
  assert_int_equal(list_mark_count(&l), 2);
  assert_int_equal(selected(&l), 'c');
  fill(&l, "nbcda");
  list_set_filter(&l, "b"); /* a is marked and not shown: it counts all the same, behind those shown */
  size_t count = list_chosen(&l, &rows);
  assert_int_equal(count, 2);
  assert_int_equal(((const struct row *)rows[0])->name[0], 'b');
  assert_int_equal(((const struct row *)rows[1])->name[0], 'a');
  free(rows);
  fill(&l, "ncd"); /* both are gone */
  count = list_chosen(&l, &rows);
  assert_int_equal(count, 0);
  free(rows);
  list_set_filter(&l, "");
  list_act(&l, ACTION_UNMARK);
  count = list_chosen(&l, &rows);
  assert_int_equal(count, 1);
  free(rows);
  list_act(&l, ACTION_MARK_ALL);
  assert_int_equal(list_mark_count(&l), 3);
  list_fini(&l);
}

/* The line of the screen that the cursor stands on does not move while rows come in above, in the middle of a long list. */
static void window_stays(void **state)
{
  struct list l;
  struct canvas c;
  (void)state;
  list_init(&l, &ops);
  canvas_init(&c);
  canvas_resize(&c, 30, 6);
  struct pane p = canvas_pane(&c);
  fill(&l, "abcdefghijklmnop");
  select_row(&l, 'j');
  list_draw(&l, &p);
  size_t line = l.at - l.top;
  fill(&l, "ABabcdefghijklmnop");
  list_draw(&l, &p);
  assert_int_equal(selected(&l), 'j');
  assert_int_equal(l.at - l.top, line);
  canvas_fini(&c);
  list_fini(&l);
}

/* No size of a window is too small to draw in. */
static void every_size(void **state)
{
  struct list l;
  struct canvas c;
  (void)state;
  list_init(&l, &ops);
  canvas_init(&c);
  fill(&l, "abcdefghij");
  for (int w = 1; w < 50; w++) {
    for (int h = 1; h < 14; h++) {
      canvas_resize(&c, w, h);
      struct pane p = canvas_pane(&c);
      list_draw(&l, &p);
      list_act(&l, ACTION_DOWN);
      list_act(&l, w % 2 ? ACTION_RIGHT : ACTION_LEFT);
    }
  }
  canvas_fini(&c);
  list_fini(&l);
}

int main(void)
{
  setlocale(LC_CTYPE, "C.UTF-8");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(selection_follows_the_id),
      cmocka_unit_test(selection_over_many_steps),
      cmocka_unit_test(moving),
      cmocka_unit_test(sorting_is_stable_and_follows),
      cmocka_unit_test(filtering),
      cmocka_unit_test(marks_stay_with_their_rows),
      cmocka_unit_test(window_stays),
      cmocka_unit_test(every_size),
  };
  return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
