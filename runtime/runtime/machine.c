// The memory of the machine and of this process, and memory in huge pages.
//
// Input:  the limits of the system and of its groups of processes; the memory that the program requests.
// Output: the bytes that a program can have and has. Other allocators promise more than the machine has.

#ifndef __wasm__
// Large memory is in huge pages, where the system has them on request (Linux, `madvise`): writing to new memory then
// takes a fault for each 2 MiB and not for each 4 KiB, which is half of the time of simple loops.
#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE (2 * HUGE_PAGE)
#define MADV_HUGEPAGE 14

// Not inlined: LLVM knows it only by its attributes.
__attribute__((malloc, noinline, assume_aligned(1 << 21))) static void *allocate_large(size_t size)
{
    if (size > SIZE_MAX - HUGE_PAGE)
        return NULL;
    const size_t rounded = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    void *const memory = aligned_alloc(HUGE_PAGE, rounded);
    // Without huge pages it is as good as before. The last page is not requested if it is not full.
    if (memory != NULL)
        madvise(memory, size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
    return memory;
}

#else
#define HUGE_PAGE 64
#define LARGE SIZE_MAX
#define allocate_large(size) malloc(size)
#endif

#ifndef __wasm__
// Linux's data about the memory of the machine, and room for fields of later versions.
struct system_information {
    long uptime;
    unsigned long loads[3], ram, free_ram, shared_ram, buffers, swap, free_swap;
    unsigned short processes;
    unsigned long high_ram, free_high_ram;
    unsigned unit;
    char more[256];
};
extern int sysinfo(struct system_information *information);

// The value of a line like `RssAnon:    1024 kB`, in bytes; 0 without the line.
static size_t bytes_in_line(const char *text, const char *name)
{
    for (; *text != 0; text++) {
        size_t length = 0;
        while (name[length] != 0 && text[length] == name[length])
            length++;
        if (name[length] != 0)
            continue;
        size_t kilobytes = 0;
        for (text += length; *text == ' ' || *text == '\t'; text++)
            ;
        for (; *text >= '0' && *text <= '9'; text++)
            kilobytes = 10 * kilobytes + (size_t)(*text - '0');
        return kilobytes << 10;
    }
    return 0;
}

// The start of a file; empty if it cannot be read.
enum { FILE_START = 4096 };
static void read_start(const char *path, char text[FILE_START])
{
    const int file = open(path, 0);
    const long length = file < 0 ? 0 : read(file, text, FILE_START - 1);
    if (file >= 0)
        close(file);
    text[length < 0 ? 0 : length] = 0;
}

// The memory that this process has written to and still holds, in bytes; 0 if unknown.
static size_t written_memory(void)
{
    char text[FILE_START];
    read_start("/proc/self/status", text);
    return bytes_in_line(text, "\nRssAnon:") + bytes_in_line(text, "\nVmSwap:");
}

// The limit in a file of a control group; SIZE_MAX without one.
static size_t limit_in_file(const char *path)
{
    char text[FILE_START];
    read_start(path, text);
    size_t limit = 0;
    for (const char *digit = text; *digit >= '0' && *digit <= '9'; digit++)
        limit = 10 * limit + (size_t)(*digit - '0');
    return limit == 0 ? SIZE_MAX : limit;
}

// The limit of the control groups that this process is in: of version 2, and in containers of version 1.
static size_t limit_of_groups(void)
{
    static const char root[] = "/sys/fs/cgroup", name[] = "/memory.max";
    size_t limit = limit_in_file("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    char text[FILE_START], path[FILE_START + sizeof root + sizeof name];
    read_start("/proc/self/cgroup", text);
    const char *from = text;
    while (*from != 0 && !(from[0] == '0' && from[1] == ':' && (from == text || from[-1] == '\n')))
        from++;
    char *end = path + sizeof root - 1;
    __builtin_memcpy(path, root, sizeof root - 1);
    if (*from != 0)
        for (from += 3; *from != 0 && *from != '\n'; from++)
            *end++ = *from;
    for (;;) {
        __builtin_memcpy(end, name, sizeof name);
        const size_t found = limit_in_file(path);
        limit = found < limit ? found : limit;
        if (end <= path + sizeof root - 1)
            return limit;
        do
            end--;
        while (*end != '/');
    }
}

// The memory that this process may have, in bytes, or the most that can be requested if that is unknown.
static size_t memory_of_machine(void)
{
    struct system_information information;
    char text[FILE_START];
    read_start("/proc/meminfo", text);
    const size_t available = bytes_in_line(text, "MemAvailable:");
    size_t most = sysinfo(&information) == 0 ? (information.ram + information.swap) * information.unit : SIZE_MAX;
    if (available != 0) {
        const size_t left = available + bytes_in_line(text, "SwapFree:") + written_memory();
        most = left < most ? left : most;
    }
    const size_t limit = limit_of_groups();
    return limit < most ? limit : most;
}

#else
static size_t written_memory(void)
{
    return memory_in_use();
}

// A module's addresses have 32 bits.
static size_t memory_of_machine(void)
{
    return MEMORY_LIMIT;
}
#endif

// The large memory that the program has requested and not freed, in bytes, written or not.
STATE int64_t asked;
enum { COUNTED = 64 * 1024 };

static inline void count(void *memory, int sign)
{
    const size_t size = memory == NULL ? 0 : malloc_usable_size(memory);
    if (size >= COUNTED)
        __atomic_add_fetch(&asked, sign * (int64_t)size, __ATOMIC_RELAXED);
}

// The memory that this process had written before it began to run the program.
STATE size_t memory_before;

// The memory that this process holds or has requested.
static size_t memory_of_process(void)
{
    const size_t written = written_memory();
    const int64_t program = __atomic_load_n(&asked, __ATOMIC_RELAXED);
    const size_t promised = memory_before + (program > 0 ? (size_t)program : 0);
    return written > promised ? written : promised;
}

// Up to this size, memory is requested without a look at the machine.
#define MODEST ((size_t)256 << 20)

// The memory requested since the last look. Threads may lose each other's requests; then the look is later.
STATE size_t unseen;
