// The memory of one parse: a bounded arena, and a way out of the parser when the bound is reached.
//
// tree-sitter allocates through four functions that a program may set, and assumes that they never
// fail: a parse that is refused memory can only be left from outside. So the parse runs below a
// `setjmp`, and an allocation beyond the bound ends it by `longjmp`. The only frames between the two
// are C frames of tree-sitter and of a grammar's scanner, which hold nothing that a destructor would
// have to release. The parse's allocations are released with the arena.
//
// An arena belongs to one thread. While none is entered, memory comes from the system.

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

#if defined(_MSC_VER) && !defined(__clang__)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL _Thread_local
#endif

// Blocks are aligned to this many bytes. The word before a block holds its capacity.
#define ALIGNMENT ((size_t)16)
#define WORD ((size_t)8)

// Blocks of up to this many bytes, including their word, are taken from pages and kept for reuse, in
// one list per size. Larger ones come from the system.
#define LARGEST_SMALL ((size_t)1024)
#define SIZES (LARGEST_SMALL / ALIGNMENT)

// The sizes of the first page, which is enough for most files, and of the pages after it.
#define FIRST_PAGE ((size_t)64 << 10)
#define PAGE ((size_t)256 << 10)

// The head of a summary of tree-sitter's stack (`ts_stack_record_summary`). tree-sitter allocates one by
// `ts_malloc` for each error that it recovers from, and nothing else of this size. Recovery tries each
// token of the language in each state without reporting progress, so errors must be counted.
typedef struct Summary {
  void *contents;
  uint32_t size;
  uint32_t capacity;
} Summary;

typedef struct Page {
  struct Page *next;
  size_t unused; // Keeps the following block aligned.
} Page;

typedef struct Large {
  struct Large *previous;
  struct Large *next;
  size_t unused;
  size_t capacity; // The word before the block.
} Large;

typedef struct Free {
  struct Free *next;
} Free;

typedef struct ExcerptBounds {
  uint64_t held;
  uint64_t given;
  uint64_t errors;
} ExcerptBounds;

typedef struct ExcerptArena {
  Page *pages;
  char *rest;
  size_t rest_size;
  Large *large;
  Free *free[SIZES + 1];
  // Bytes taken from the system.
  size_t held;
  // Bytes given in total: most of the work of a parse is to make nodes.
  uint64_t given;
  // Errors recovered from.
  uint64_t errors;
  ExcerptBounds most;
  // Where to leave the parse, which may be left only while it runs. While it is being cleared away, it
  // is left at the first block that it touches.
  bool may_leave;
  bool clears_away;
  jmp_buf way_out;
} ExcerptArena;

static THREAD_LOCAL ExcerptArena *current = NULL;

static void out_of_memory(size_t size) {
  fprintf(stderr, "excerpt: the system refused %zu bytes\n", size);
  abort();
}

static size_t *word_of(void *block) { return (size_t *)((char *)block - WORD); }

static Large *large_of(void *block) { return (Large *)((char *)block - sizeof(Large)); }

static void leave(ExcerptArena *arena) {
  arena->may_leave = false;
  longjmp(arena->way_out, 1);
}

static void leave_if_beyond(ExcerptArena *arena, size_t more) {
  bool is_beyond = arena->held + more > arena->most.held || arena->given > arena->most.given || arena->errors > arena->most.errors;
  if (arena->may_leave && (is_beyond || arena->clears_away)) leave(arena);
}

static void *take(ExcerptArena *arena, size_t size) {
  leave_if_beyond(arena, size);
  void *memory = malloc(size);
  if (!memory) {
    // The system's limit is reached before ours.
    if (arena->may_leave) leave(arena);
    out_of_memory(size);
  }
  arena->held += size;
  return memory;
}

static void *allocate_large(ExcerptArena *arena, size_t size) {
  if (size > SIZE_MAX - sizeof(Large)) out_of_memory(size);
  Large *large = take(arena, sizeof(Large) + size);
  large->previous = NULL;
  large->next = arena->large;
  if (arena->large) arena->large->previous = large;
  arena->large = large;
  large->capacity = size;
  return large + 1;
}

static void free_large(ExcerptArena *arena, Large *large) {
  if (large->previous) large->previous->next = large->next;
  else arena->large = large->next;
  if (large->next) large->next->previous = large->previous;
  arena->held -= sizeof(Large) + large->capacity;
  free(large);
}

static void *allocate(ExcerptArena *arena, size_t size) {
  arena->given += size;
  if (size > LARGEST_SMALL - WORD) return allocate_large(arena, size);
  size_t units = (size + WORD + ALIGNMENT - 1) / ALIGNMENT;
  Free *reused = arena->free[units];
  if (reused) {
    leave_if_beyond(arena, 0);
    arena->free[units] = reused->next;
    return reused;
  }
  size_t bytes = units * ALIGNMENT;
  if (bytes > arena->rest_size) {
    size_t page_size = arena->pages ? PAGE : FIRST_PAGE;
    Page *page = take(arena, page_size);
    page->next = arena->pages;
    arena->pages = page;
    // The first word is half an alignment before the first block.
    arena->rest = (char *)(page + 1) + ALIGNMENT - WORD;
    arena->rest_size = page_size - sizeof(Page) - ALIGNMENT;
  }
  char *start = arena->rest;
  arena->rest += bytes;
  arena->rest_size -= bytes;
  *(size_t *)start = bytes - WORD;
  return start + WORD;
}

static void release(ExcerptArena *arena, void *block) {
  if (arena->may_leave && arena->clears_away) leave(arena);
  size_t capacity = *word_of(block);
  if (capacity > LARGEST_SMALL - WORD) {
    free_large(arena, large_of(block));
    return;
  }
  size_t units = (capacity + WORD) / ALIGNMENT;
  Free *freed = block;
  freed->next = arena->free[units];
  arena->free[units] = freed;
}

static void *excerpt_malloc(size_t size) {
  if (current) {
    if (size == sizeof(Summary)) current->errors++;
    return allocate(current, size);
  }
  void *memory = malloc(size);
  if (size > 0 && !memory) out_of_memory(size);
  return memory;
}

static void *excerpt_calloc(size_t count, size_t size) {
  if (!current) {
    void *memory = calloc(count, size);
    if (count > 0 && size > 0 && !memory) out_of_memory(count * size);
    return memory;
  }
  if (size > 0 && count > SIZE_MAX / size) out_of_memory(SIZE_MAX);
  void *memory = allocate(current, count * size);
  memset(memory, 0, count * size);
  return memory;
}

static void *excerpt_realloc(void *block, size_t size) {
  if (!current) {
    void *memory = realloc(block, size);
    if (size > 0 && !memory) out_of_memory(size);
    return memory;
  }
  if (!block) return allocate(current, size);
  size_t capacity = *word_of(block);
  if (size <= capacity) return block;
  void *moved = allocate(current, size);
  memcpy(moved, block, capacity);
  release(current, block);
  return moved;
}

static void excerpt_free(void *block) {
  if (!current) free(block);
  else if (block) release(current, block);
}

// Makes tree-sitter allocate here. Must be called once, before the first parser is created.
void excerpt_arena_install(void) {
  ts_set_allocator(excerpt_malloc, excerpt_calloc, excerpt_realloc, excerpt_free);
}

ExcerptArena *excerpt_arena_new(void) { return calloc(1, sizeof(ExcerptArena)); }

// Releases the arena and everything allocated in it.
void excerpt_arena_delete(ExcerptArena *arena) {
  while (arena->pages) {
    Page *page = arena->pages;
    arena->pages = page->next;
    free(page);
  }
  while (arena->large) {
    Large *large = arena->large;
    arena->large = large->next;
    free(large);
  }
  free(arena);
}

// Makes this thread allocate in `arena`, or from the system if it is NULL. Returns the previous arena.
ExcerptArena *excerpt_arena_enter(ExcerptArena *arena) {
  ExcerptArena *before = current;
  current = arena;
  return before;
}

// The bytes that the arena has taken from the system.
size_t excerpt_arena_held(const ExcerptArena *arena) { return arena->held; }

// Parses in the entered arena. Returns NULL if the input stopped the parser, or if it reached a bound;
// in the second case `*left` is set, and the parser must not be used or deleted.
TSTree *excerpt_parse(
  TSParser *parser,
  const TSInput *input,
  const TSParseOptions *options,
  const ExcerptBounds *most,
  bool *left
) {
  ExcerptArena *arena = current;
  arena->most = *most;
  *left = false;
  if (setjmp(arena->way_out)) {
    *left = true;
    // The memory of a grammar's scanner comes from the system. Resetting the parser releases it first,
    // before it touches the contents of the arena.
    if (!setjmp(arena->way_out)) {
      arena->clears_away = true;
      arena->may_leave = true;
      ts_parser_reset(parser);
    }
    arena->may_leave = false;
    return NULL;
  }
  arena->may_leave = true;
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, *input, *options);
  arena->may_leave = false;
  return tree;
}
