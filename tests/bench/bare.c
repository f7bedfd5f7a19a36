/* usage: bare rows|hold FILE
 *
 * The least that anyone could do: the floor of what the program does with a store and a terminal. It reads the records of a place's jobs
 * (hold: and keeps every block of runs as it lies), shows lines of them, and answers every key with a frame. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <curses.h>
#include <sqlite3.h>

struct held {
  void *bytes;
  struct held *next;
};

static size_t read_all(sqlite3 *db, const char *sql, struct held **held)
{
  sqlite3_stmt *st = NULL;
  size_t sum = 0;
  if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
    return 0;
  while (sqlite3_step(st) == SQLITE_ROW) {
    const unsigned char *data = sqlite3_column_blob(st, 0);
    size_t len = (size_t)sqlite3_column_bytes(st, 0);
    for (size_t i = 0; i < len; i += 64)
      sum += data[i];
    if (held == NULL)
      continue;
    struct held *h = malloc(sizeof *h);
    if (h == NULL || (h->bytes = malloc(len + 1)) == NULL)
      abort();
    memcpy(h->bytes, data, len);
    h->next = *held;
    *held = h;
  }
  sqlite3_finalize(st);
  return sum;
}

int main(int argc, char **argv)
{
  sqlite3 *db = NULL;
  struct held *held = NULL;
  if (argc != 3 || sqlite3_open_v2(argv[2], &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
    return 2;
  size_t sum = read_all(db, "SELECT data FROM jobs", NULL);
  if (strcmp(argv[1], "hold") == 0)
    sum += read_all(db, "SELECT data FROM block_data", &held);
  sqlite3_close(db);
  setlocale(LC_ALL, "");
  initscr();
  raw();
  noecho();
  int at = 0;
  do {
    erase();
    for (int y = 0; y < LINES; y++) {
      if (y == at)
        attron(A_REVERSE);
      mvprintw(y, 0, "bare row %d of %zu", y, sum);
      attroff(A_REVERSE);
    }
    refresh();
    at = LINES > 0 ? (at + 1) % LINES : 0;
  } while (getch() != 'q');
  endwin();
  while (held != NULL) {
    struct held *next = held->next;
    free(held->bytes);
    free(held);
    held = next;
  }
  return 0;
}
