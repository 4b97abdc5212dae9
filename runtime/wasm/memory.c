// Memory: a list of free blocks in the module's own memory, which grows.

// The most that the runtime promises a program: all addresses but those of the last page, so that no end is 0.
#define MEMORY_LIMIT ((size_t)0xffff0000)

// Symbols that the linker sets.
extern char __heap_base, __stack_low;

static size_t memory_in_use(void)
{
    return __builtin_wasm_memory_size(0) << 16;
}

static uintptr_t lowest_stack(void)
{
    return (uintptr_t)&__stack_low;
}

// A block begins with a unit that has its size, with this unit, and while it is free the next free block. Memory for a
// program is a number of units, so that it begins at a multiple of 64.
enum { UNIT = 64 };
struct block {
    size_t size;
    struct block *next;
};

// The free blocks, in the order of their addresses.
static struct block *holes;

// Adds a free block, and joins it with its neighbors.
static void add_hole(struct block *block)
{
    struct block *before = NULL, *after = holes;
    for (; after != NULL && after < block; after = after->next)
        before = after;
    block->next = after;
    if (after != NULL && (char *)block + block->size == (char *)after) {
        block->size += after->size;
        block->next = after->next;
    }
    if (before == NULL) {
        holes = block;
    } else if ((char *)before + before->size == (char *)block) {
        before->size += block->size;
        before->next = block->next;
    } else {
        before->next = block;
    }
}

// Asks the engine for more memory. At first, what is behind the program's data is free.
static bool grow(size_t size)
{
    enum { PAGE = 1 << 16 };
    static bool has_begun;
    uintptr_t start = memory_in_use();
    if (!has_begun) {
        has_begun = true;
        start = ((uintptr_t)&__heap_base + UNIT - 1) & -(uintptr_t)UNIT;
    }
    const size_t pages = (size + PAGE - 1) / PAGE;
    if (memory_in_use() > MEMORY_LIMIT - pages * PAGE || __builtin_wasm_memory_grow(0, pages) == SIZE_MAX)
        return false;
    struct block *const block = (struct block *)start;
    block->size = memory_in_use() - start;
    add_hole(block);
    return true;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (size > MEMORY_LIMIT / 2 + MEMORY_LIMIT / 4 || alignment > MEMORY_LIMIT / 8)
        return NULL;
    const size_t mask = (alignment > UNIT ? alignment : UNIT) - 1;
    const size_t needed = UNIT + ((size + UNIT - 1) & -(size_t)UNIT);
    do {
        for (struct block **at = &holes; *at != NULL; at = &(*at)->next) {
            struct block *const hole = *at;
            const uintptr_t end = (uintptr_t)hole + hole->size;
            const uintptr_t start = (((uintptr_t)hole + UNIT + mask) & ~mask) - UNIT;
            if (start >= end || end - start < needed)
                continue;
            struct block *const block = (struct block *)start, *const rest = (struct block *)(start + needed);
            struct block *next = hole->next;
            if (end - start > needed) {
                rest->size = end - start - needed;
                rest->next = next;
                next = rest;
            }
            if (block != hole) {
                hole->size = start - (uintptr_t)hole;
                hole->next = next;
            } else {
                *at = next;
            }
            block->size = needed;
            return (char *)block + UNIT;
        }
    } while (grow(needed + mask));
    return NULL;
}

void *malloc(size_t size)
{
    return aligned_alloc(UNIT, size);
}

void free(void *memory)
{
    if (memory != NULL)
        add_hole((struct block *)((char *)memory - UNIT));
}

size_t malloc_usable_size(void *memory)
{
    return ((struct block *)((char *)memory - UNIT))->size - UNIT;
}

void *realloc(void *memory, size_t size)
{
    void *const larger = malloc(size);
    const size_t old = memory == NULL ? 0 : malloc_usable_size(memory);
    if (larger != NULL && memory != NULL) {
        __builtin_memcpy(larger, memory, old < size ? old : size);
        free(memory);
    }
    return larger;
}
