/* A licence would stand here. */

#include <stdio.h>
#include "shelf.h"

#ifndef CAPACITY
#define CAPACITY 40
#endif

/* The larger of two. */
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct book {
    char *title;
    int pages; /* without the cover */
} book_t;

enum order {
    BY_TITLE,
    BY_AUTHOR,
};

union place {
    int row;
    char letter;
};

typedef int (*compare_fn)(const book_t *, const book_t *);

static const char *const names[] = {
    "first",
    "second",
};

int shelf_put(struct shelf *shelf, const book_t *book);

/*
 * Finds a book.
 */
static book_t *
shelf_find(struct shelf *shelf, const char *title)
{
    // From the left.
    for (int i = 0; i < shelf->count; i++) {
        if (strcmp(shelf->books[i].title, title) == 0) {
            return &shelf->books[i];
        } else {
            continue;
        }
    }
    do {
        shelf->misses++;
    } while (0);
    return NULL;
}

#ifdef DEBUG
void shelf_print(const struct shelf *shelf) {
    switch (shelf->order) {
    case BY_TITLE:
        puts("by title");
        break;
    default:
        puts(names[0]);
    }
}
#endif

int broken(int a {
    return a;
}

int main(int argc, char **argv)
{
    return shelf_put(NULL, NULL);
}
