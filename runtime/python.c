// Calls of exported functions from Python, in the modules that `-emit=python` makes.
//
// Input:  arguments as Python has them, and the types of a function's parameters and result.
// Output: the result; or None if not all of them are just as the function needs them, and then nothing was computed:
//         python/toyc/_runtime.py converts or refuses them, with a message.
//
// Linked as bitcode beside runtime.c, by the same rules: no headers, because a target's may be missing. What is declared
// here is part of Python's stable interface or, for arrays, of NumPy's, and the same in all versions of both since
// Python 3.9 and NumPy 1.20. Weak, because no library that is linked has these functions: the process has them.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct object {
    intptr_t references;
    struct object *type;
} Object;

// `PyArrayObject`
struct array {
    Object object;
    char *data;
    int rank;
    const int64_t *sizes, *strides;
    Object *base, *element;
    int flags;
};
enum { CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITABLE = 0x400 };

// `PyMethodDef`
struct method {
    const char *name;
    Object *(*function)(Object *self, Object *const *arguments, intptr_t count);
    int flags;
    const char *documentation;
};
enum { METH_FASTCALL = 0x80 };

#define PYTHON extern __attribute__((weak))
PYTHON Object *PyCFunction_NewEx(struct method *method, Object *self, Object *module);
PYTHON char *PyBytes_AsString(Object *bytes);
PYTHON intptr_t PyTuple_Size(Object *tuple);
PYTHON Object *PyTuple_GetItem(Object *tuple, intptr_t at);
PYTHON double PyFloat_AsDouble(Object *number);
PYTHON Object *PyFloat_FromDouble(double number);
PYTHON int PyType_IsSubtype(Object *type, Object *of);
PYTHON Object *PyObject_CallObject(Object *function, Object *arguments);
PYTHON Object *PyObject_CallFunction(Object *function, const char *format, ...);
PYTHON void Py_IncRef(Object *object);
PYTHON void Py_DecRef(Object *object);
PYTHON Object *PyErr_Occurred(void);
PYTHON void PyErr_Clear(void);
PYTHON void *PyEval_SaveThread(void);
PYTHON void PyEval_RestoreThread(void *thread);
PYTHON int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library);

// The numbers and pointers that a function may have, for the call below.
enum { NUMBERS = 8, POINTERS = 16 };

// An exported function with any parameters: on x86-64 and AArch64, numbers and pointers are in registers of their own,
// each in order, and as long as all numbers are, the pointers that follow are on the stack; it ignores what it does not
// have.
typedef int Function(double, double, double, double, double, double, double, double, const void *, const void *,
                     const void *, const void *, const void *, const void *, const void *, const void *, const void *,
                     const void *, const void *, const void *, const void *, const void *, const void *, const void *);

// A function and its types, as `Function.quick` of _runtime.py packs them. It keeps the objects alive.
struct callee {
    Function *function;
    // NumPy's type of arrays, Python's types `float` and `int`, and None.
    Object *array, *floating, *whole, *none;
    // `empty(*shape)` makes a result; `fail(status)` raises an exception.
    Object *empty, *shape, *fail;
    int64_t parameters;
    // For each parameter, then for the result: NumPy's object for the type of an element, its bytes, the rank and the sizes.
    int64_t types[];
};

enum { ELEMENT, BYTES, RANK, SIZES };

// A number of either type, as it is in a register.
union number {
    double of_64;
    float of_32;
};

// The elements of an array that has this type and these flags.
static const void *elements(const struct callee *callee, Object *given, const int64_t *type, int flags)
{
    const struct array *array = (const struct array *)given;
    if (given->type != callee->array || (intptr_t)array->element != type[ELEMENT] || array->rank != type[RANK]
        || (array->flags & flags) != flags)
        return NULL;
    for (int at = 0; at < array->rank; at++)
        if (array->sizes[at] != type[SIZES + at])
            return NULL;
    return array->data;
}

static uint64_t bytes(const int64_t *type)
{
    uint64_t size = (uint64_t)type[BYTES];
    for (int64_t at = 0; at < type[RANK]; at++)
        size *= (uint64_t)type[SIZES + at];
    return size;
}

// `call(arguments, out)`
static Object *call(Object *self, Object *const *given, intptr_t count)
{
    const struct callee *callee = (const struct callee *)PyBytes_AsString(PyTuple_GetItem(self, 0));
    Object *out = given[1];
    double n[NUMBERS];
    union number number;
    const void *p[POINTERS];
    const int64_t *type = callee->types, *types[POINTERS];
    int numbers = 0, pointers = 0;
    (void)count;
    if (PyTuple_Size(given[0]) != callee->parameters)
        goto otherwise;
    for (intptr_t at = 0; at < callee->parameters; at++, type += SIZES + type[RANK]) {
        Object *argument = PyTuple_GetItem(given[0], at);
        if (type[RANK] == 0) {
            if (argument->type != callee->whole && argument->type != callee->floating
                && !PyType_IsSubtype(argument->type, callee->floating))
                goto otherwise;
            n[numbers] = PyFloat_AsDouble(argument);
            if (n[numbers++] == -1 && PyErr_Occurred() != NULL) {
                // A whole number that is too large.
                PyErr_Clear();
                goto otherwise;
            }
            if (type[BYTES] == sizeof(float)) {
                number.of_32 = (float)n[numbers - 1];
                n[numbers - 1] = number.of_64;
            }
        } else {
            types[pointers] = type;
            p[pointers] = elements(callee, argument, type, CONTIGUOUS | ALIGNED);
            if (p[pointers++] == NULL)
                goto otherwise;
        }
    }
    if (type[RANK] == 0) {
        if (out != callee->none)
            goto otherwise;
        p[pointers] = &number;
    } else if (out != callee->none) {
        p[pointers] = elements(callee, out, type, CONTIGUOUS | ALIGNED | WRITABLE);
        if (p[pointers] == NULL)
            goto otherwise;
        const uintptr_t start = (uintptr_t)p[pointers], end = start + bytes(type);
        for (int at = 0; at < pointers; at++)
            if ((uintptr_t)p[at] < end && start < (uintptr_t)p[at] + bytes(types[at]))
                goto otherwise;
        Py_IncRef(out);
    } else {
        out = PyObject_CallObject(callee->empty, callee->shape);
        if (out == NULL)
            return NULL;
        p[pointers] = ((const struct array *)out)->data;
    }
    void *const thread = PyEval_SaveThread();
    const int status = callee->function(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], p[0], p[1], p[2], p[3], p[4], p[5],
                                        p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14], p[15]);
    PyEval_RestoreThread(thread);
    if (type[RANK] == 0)
        out = status == 0 ? PyFloat_FromDouble(type[BYTES] == sizeof(float) ? (double)number.of_32 : number.of_64) : NULL;
    if (status == 0)
        return out;
    if (out != NULL)
        Py_DecRef(out);
    return PyObject_CallFunction(callee->fail, "i", status);
otherwise:
    Py_IncRef(callee->none);
    return callee->none;
}

// For threads.c: in glibc, this function is part of what linkers add to libraries, and the loader does not have it. The
// handlers are kept as long as the process runs, like modules. Without it, everything runs on the calling thread.
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    return __register_atfork == NULL ? 1 : __register_atfork(prepare, parent, child, NULL);
}

// A function of Python that makes calls; `callee` is a tuple of a `struct callee` as bytes, and of the objects in it.
Object *toy_python_caller(Object *callee)
{
    static struct method method = {"call", call, METH_FASTCALL, NULL};
    return PyCFunction_NewEx(&method, callee, NULL);
}
