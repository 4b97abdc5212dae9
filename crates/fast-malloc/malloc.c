// malloc and its kin, of the whole process: MLIR and LLVM make and free millions of small objects, for
// which mimalloc needs half the instructions of glibc's functions. C's other allocating functions
// (strdup, reallocarray, ...) call these, and so does C++'s operator new.
//
// mimalloc has definitions of its own (its feature `override`), but with them also operator new, which
// libstdc++ defines, too: the order of archives would decide whether that links.

typedef __SIZE_TYPE__ size_t;

void *mi_malloc(size_t size);
void *mi_calloc(size_t count, size_t size);
void *mi_realloc(void *pointer, size_t size);
void mi_free(void *pointer);
void *mi_memalign(size_t alignment, size_t size);
void *mi_aligned_alloc(size_t alignment, size_t size);
int mi_posix_memalign(void **pointer, size_t alignment, size_t size);
void *mi_valloc(size_t size);
void *mi_pvalloc(size_t size);
size_t mi_malloc_usable_size(const void *pointer);
void mi_collect(_Bool force);

void *malloc(size_t size) { return mi_malloc(size); }
void *calloc(size_t count, size_t size) { return mi_calloc(count, size); }
void *realloc(void *pointer, size_t size) { return mi_realloc(pointer, size); }
void free(void *pointer) { mi_free(pointer); }
void *memalign(size_t alignment, size_t size) { return mi_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return mi_aligned_alloc(alignment, size); }
int posix_memalign(void **pointer, size_t alignment, size_t size) {
  return mi_posix_memalign(pointer, alignment, size);
}
void *valloc(size_t size) { return mi_valloc(size); }
void *pvalloc(size_t size) { return mi_pvalloc(size); }
size_t malloc_usable_size(void *pointer) { return mi_malloc_usable_size(pointer); }
int malloc_trim(size_t kept) {
  (void)kept;
  mi_collect(1);
  return 1;
}
