/* native.c - inkling._native: what the Python package calls one key at a time, and lists of keys
 * that are packed for the library. In the limited API of Python 3.10, so that one file serves every
 * later one.
 *
 * It holds no sketch and links with no library: the package hands over where the functions are
 * (`bind`), and where the pointers to a sketch stand (`Keys`). A pointer is NULL while a call of
 * another thread forbids the quick way. All here keep the interpreter's lock, so a pointer that is
 * there stays valid until the call is done. What is not done here, for a key of another type or
 * after a failure, is done by the methods in Python, which say why not. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <inkling.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

/* ---- The library -------------------------------------------------------------------------- */

/* Each function, and its parameters after the sketch and before the error. */
static struct {
    ink_status (*add)(ink_sketch *, const void *, size_t, ink_error *);
    ink_status (*add_int)(ink_sketch *, int64_t, ink_error *);
    ink_status (*add_weight)(ink_sketch *, const void *, size_t, uint64_t, ink_error *);
    ink_status (*add_weight_int)(ink_sketch *, int64_t, uint64_t, ink_error *);
    ink_status (*add_new)(ink_sketch *, const void *, size_t, bool *, ink_error *);
    ink_status (*add_new_int)(ink_sketch *, int64_t, bool *, ink_error *);
    ink_status (*count)(const ink_sketch *, const void *, size_t, ink_answer *, ink_error *);
    ink_status (*count_int)(const ink_sketch *, int64_t, ink_answer *, ink_error *);
    int (*maybe)(const ink_sketch *, const void *, size_t);
    int (*maybe_int)(const ink_sketch *, int64_t);
} library;

/* In the order of these pointers. */
static const char *const functions[] = {
    "ink_sketch_add",        "ink_sketch_add_int",
    "ink_sketch_add_weight", "ink_sketch_add_weight_int",
    "ink_sketch_add_new",    "ink_sketch_add_new_int",
    "ink_sketch_count",      "ink_sketch_count_int",
    "ink_sketch_maybe",      "ink_sketch_maybe_int",
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };
_Static_assert(sizeof library == FUNCTIONS * sizeof(void *), "a name for each function");

/* bind(address_of): takes the addresses of the functions, of which `address_of` knows that of a
 * name. */
static PyObject *bind(PyObject *module, PyObject *address_of)
{
    void *found[FUNCTIONS];

    (void)module;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        PyObject *address = PyObject_CallFunction(address_of, "s", functions[i]);

        found[i] = address == NULL ? NULL : PyLong_AsVoidPtr(address);
        Py_XDECREF(address);
        if (PyErr_Occurred())
            return NULL;
    }
    memcpy(&library, found, sizeof library);
    Py_RETURN_NONE;
}

/* ---- One key ------------------------------------------------------------------------------ */

typedef struct one_key {
    const char *bytes; /* NULL: an int */
    Py_ssize_t  length;
    int64_t     number;
} one_key;

static inline size_t length_of(const one_key *key)
{
    return (size_t)key->length;
}

/* An int of up to 64 bits; `is_wide` if it is above 2^63 - 1, and stands for the negative one of
 * the same bits. */
static inline bool take_int(PyObject *value, int64_t *number, bool *is_wide)
{
    int overflow;

    *number = PyLong_AsLongLongAndOverflow(value, &overflow);
    *is_wide = overflow > 0;
    if (overflow <= 0)
        return overflow == 0;
    *number = (int64_t)PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred())
        return true;
    PyErr_Clear();
    return false;
}

/* A str or bytes where it stands. Of a str that is not ASCII Python makes the UTF-8 once, and keeps
 * it in the str. */
static inline bool take_text(PyObject *value, const char **bytes, Py_ssize_t *length)
{
    char *plain;

    if (Py_IS_TYPE(value, &PyUnicode_Type)) {
        *bytes = PyUnicode_AsUTF8AndSize(value, length);
        if (*bytes != NULL)
            return true;
        PyErr_Clear(); /* half of a surrogate pair, or no memory: Python says which */
        return false;
    }
    if (!Py_IS_TYPE(value, &PyBytes_Type))
        return false;
    PyBytes_AsStringAndSize(value, &plain, length);
    *bytes = plain;
    return true;
}

/* Whether this is a key of the types that most are. */
static inline bool take_key(PyObject *value, one_key *key)
{
    bool is_wide;

    if (!Py_IS_TYPE(value, &PyLong_Type))
        return take_text(value, &key->bytes, &key->length);
    key->bytes = NULL;
    return take_int(value, &key->number, &is_wide);
}

/* ---- Keys, the base of a sketch -------------------------------------------------------------- */

/* The Pointers of _handle_lock.py. */
typedef struct pointers {
    ink_sketch *asking, *changing;
} pointers;

typedef struct keys {
    PyObject_HEAD PyObject *lock;
    /* Those of the lock; NULL if there is none. */
    const pointers *pointers;
    /* How many keys may be added until the rate is looked at; below 0: none is added here. */
    Py_ssize_t unwatched;
} keys;

static inline const pointers *pointers_of(PyObject *self)
{
    return ((keys *)self)->pointers;
}

static inline const ink_sketch *to_ask(PyObject *self)
{
    return pointers_of(self) == NULL ? NULL : pointers_of(self)->asking;
}

static inline ink_sketch *to_change(PyObject *self)
{
    if (pointers_of(self) == NULL || ((keys *)self)->unwatched < 0)
        return NULL;
    return pointers_of(self)->changing;
}

/* Calls the method in Python of this name, which takes any key. */
static PyObject *go_slowly(PyObject *self, const char *name, PyObject *const *values,
                           Py_ssize_t count, PyObject *names)
{
    const Py_ssize_t more = names == NULL ? 0 : PyTuple_Size(names);
    PyObject        *method = PyObject_GetAttrString(self, name), *result = NULL;
    PyObject        *positional = PyTuple_New(count), *named = PyDict_New();
    bool             whole = method != NULL && positional != NULL && named != NULL;

    for (Py_ssize_t i = 0; whole && i < count; i++) {
        Py_INCREF(values[i]);
        whole = PyTuple_SetItem(positional, i, values[i]) == 0;
    }
    for (Py_ssize_t i = 0; whole && i < more; i++)
        whole = PyDict_SetItem(named, PyTuple_GetItem(names, i), values[count + i]) == 0;
    if (whole)
        result = PyObject_Call(method, positional, named);
    Py_XDECREF(method);
    Py_XDECREF(positional);
    Py_XDECREF(named);
    return result;
}

static int contains(PyObject *self, PyObject *value)
{
    const ink_sketch *sketch = to_ask(self);
    one_key           key;
    int               answer = -1;

    if (sketch != NULL && take_key(value, &key))
        answer = key.bytes == NULL ? library.maybe_int(sketch, key.number)
                                   : library.maybe(sketch, key.bytes, length_of(&key));
    if (answer >= 0)
        return answer;
    PyObject *found = go_slowly(self, "_contains_slowly", &value, 1, NULL);
    if (found != NULL)
        answer = PyObject_IsTrue(found);
    Py_XDECREF(found);
    return answer;
}

/* After that many records were added: looks at the rate if it is time to. False if that raised. */
static inline bool watch(PyObject *self, uint64_t records)
{
    keys *of = (keys *)self;

    if ((uint64_t)of->unwatched >= records) {
        of->unwatched -= (Py_ssize_t)records;
        return true;
    }
    PyObject *done = PyObject_CallMethod(self, "_watch", NULL);
    Py_XDECREF(done);
    return done != NULL;
}

/* A weight, if that is the one thing said beside a key. */
static bool take_weight(PyObject *value, PyObject *names, uint64_t *weight)
{
    if (PyTuple_Size(names) != 1 || !Py_IS_TYPE(value, &PyLong_Type) ||
        PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "weight") != 0)
        return false;
    *weight = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred())
        return true;
    PyErr_Clear();
    return false;
}

static inline ink_status add_once(ink_sketch *sketch, const one_key *key)
{
    return key->bytes == NULL ? library.add_int(sketch, key->number, NULL)
                              : library.add(sketch, key->bytes, length_of(key), NULL);
}

static ink_status add_weight(ink_sketch *sketch, const one_key *key, uint64_t weight)
{
    return key->bytes == NULL
               ? library.add_weight_int(sketch, key->number, weight, NULL)
               : library.add_weight(sketch, key->bytes, length_of(key), weight, NULL);
}

static ink_status add_if_new(ink_sketch *sketch, const one_key *key, bool *was_new)
{
    return key->bytes == NULL ? library.add_new_int(sketch, key->number, was_new, NULL)
                              : library.add_new(sketch, key->bytes, length_of(key), was_new, NULL);
}

static ink_status count_of(const ink_sketch *sketch, const one_key *key, ink_answer *answer)
{
    return key->bytes == NULL ? library.count_int(sketch, key->number, answer, NULL)
                              : library.count(sketch, key->bytes, length_of(key), answer, NULL);
}

static PyObject *add(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *names)
{
    ink_sketch *sketch = to_change(self);
    one_key     key;
    uint64_t    weight = 1;
    bool        done = sketch != NULL && count == 1 && take_key(values[0], &key);

    if (done && names == NULL)
        done = add_once(sketch, &key) == INK_OK;
    else if (done)
        done = take_weight(values[1], names, &weight) && add_weight(sketch, &key, weight) == INK_OK;
    if (!done)
        return go_slowly(self, "_slow_add", values, count, names);
    if (!watch(self, weight))
        return NULL;
    Py_INCREF(self);
    return self;
}

static PyObject *add_new(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *names)
{
    ink_sketch *sketch = to_change(self);
    one_key     key;
    bool        was_new;

    if (sketch == NULL || count != 1 || names != NULL || !take_key(values[0], &key) ||
        add_if_new(sketch, &key, &was_new) != INK_OK)
        return go_slowly(self, "_slow_add_new", values, count, names);
    return PyBool_FromLong(was_new);
}

static PyObject *how_often(PyObject *self, PyObject *const *values, Py_ssize_t count,
                           PyObject *names)
{
    const ink_sketch *sketch = to_ask(self);
    one_key           key;
    ink_answer        answer;

    if (sketch == NULL || count != 1 || names != NULL || !take_key(values[0], &key) ||
        count_of(sketch, &key, &answer) != INK_OK)
        return go_slowly(self, "_slow_count", values, count, names);
    return PyObject_CallMethod(self, "_answer", "ddddN", answer.estimate, answer.low, answer.high,
                               answer.confidence, PyBool_FromLong(answer.saturated));
}

/* ---- Their lock -------------------------------------------------------------------------------
 */

static PyObject *get_lock(PyObject *self, void *name)
{
    PyObject *lock = ((keys *)self)->lock;

    if (lock == NULL)
        PyErr_SetString(PyExc_AttributeError, name);
    Py_XINCREF(lock);
    return lock;
}

/* The lock keeps its pointers as long as it lives, and is kept as long as they are used. */
static int set_lock(PyObject *self, PyObject *lock, void *name)
{
    PyObject *address = lock == NULL ? NULL : PyObject_GetAttrString(lock, "address");
    PyObject *old = ((keys *)self)->lock;

    (void)name;
    if (lock != NULL && address == NULL)
        return -1;
    ((keys *)self)->pointers = address == NULL ? NULL : PyLong_AsVoidPtr(address);
    Py_XDECREF(address);
    Py_XINCREF(lock);
    ((keys *)self)->lock = lock;
    Py_XDECREF(old);
    return PyErr_Occurred() ? -1 : 0;
}

static int clear(PyObject *self)
{
    return set_lock(self, NULL, NULL);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((keys *)self)->lock);
    return 0;
}

static void deallocate(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    ((keys *)self)->pointers = NULL;
    Py_CLEAR(((keys *)self)->lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static char        lock_name[] = "_lock";
static PyGetSetDef keys_attributes[] = {{lock_name, get_lock, set_lock, NULL, lock_name},
                                        {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef keys_members[] = {
    {"_unwatched", T_PYSSIZET, offsetof(keys, unwatched), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot keys_slots[] = {
    {Py_tp_members, keys_members},
    {Py_tp_getset, keys_attributes},
    {Py_tp_traverse, (void *)traverse},
    {Py_tp_clear, (void *)clear},
    {Py_tp_dealloc, (void *)deallocate},
    {Py_sq_contains, (void *)contains},
    {0, NULL},
};
static PyType_Spec keys_spec = {
    .name = "inkling._native.Keys",
    .basicsize = sizeof(keys),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = keys_slots,
};

#define QUICK(name, function)                                                                      \
    {                                                                                              \
        name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS, NULL         \
    }
static PyMethodDef quick_methods[] = {
    QUICK("add", add),
    QUICK("add_new", add_new),
    QUICK("count", how_often),
};

static PyMethodDef *quick_method(const char *name)
{
    for (size_t i = 0; i < sizeof quick_methods / sizeof *quick_methods; i++)
        if (strcmp(quick_methods[i].ml_name, name) == 0)
            return &quick_methods[i];
    return NULL;
}

/* quicken(class, name, text): puts the method of this name here before that in Python, which
 * becomes _slow_NAME. `text` is its signature and documentation; it lives as long as the process.
 */
static PyObject *quicken(PyObject *module, PyObject *arguments)
{
    PyObject *class, *slow_name, *slow, *quick = NULL;
    const char *name, *text;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!ss", &PyType_Type, &class, &name, &text))
        return NULL;
    PyMethodDef *method = quick_method(name);
    char        *kept = malloc(strlen(text) + 1);
    if (method == NULL || kept == NULL) {
        free(kept);
        return method == NULL ? PyErr_Format(PyExc_LookupError, "no quick %s", name)
                              : PyErr_NoMemory();
    }
    method->ml_doc = strcpy(kept, text);
    slow_name = PyUnicode_FromFormat("_slow_%s", name);
    slow = PyObject_GetAttrString(class, name);
    if (slow_name != NULL && slow != NULL && PyObject_SetAttr(class, slow_name, slow) == 0)
        quick = PyDescr_NewMethod((PyTypeObject *)class, method);
    if (quick != NULL)
        PyObject_SetAttrString(class, name, quick);
    Py_XDECREF(slow_name);
    Py_XDECREF(slow);
    Py_XDECREF(quick);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* ---- Keys of a list ------------------------------------------------------------------------- */

enum { LIKELY_BYTES = 16 }; /* of a text */

/* Some keys of a list. */
typedef struct part {
    PyObject  *list;
    Py_ssize_t start, count;
} part;

/* Appends ints; whether all are of up to 64 bits, or of 63 and a sign. */
static bool pack_ints(const part *of, int64_t *values, bool may_be_wide)
{
    for (Py_ssize_t i = 0; i < of->count; i++) {
        PyObject *item = PyList_GetItem(of->list, of->start + i);
        bool      is_wide;

        if (!Py_IS_TYPE(item, &PyLong_Type) || !take_int(item, &values[i], &is_wide) ||
            (is_wide && !may_be_wide))
            return false;
    }
    return true;
}

/* Appends the bytes of texts, and where each ends. */
static bool pack_texts(const part *of, int64_t *ends, PyObject *data)
{
    Py_ssize_t  size = PyByteArray_Size(data), room = size, length;
    char       *to = PyByteArray_AsString(data);
    const char *bytes;

    for (Py_ssize_t i = 0; i < of->count; i++) {
        if (!take_text(PyList_GetItem(of->list, of->start + i), &bytes, &length))
            return false;
        if (length > room - size) {
            room = size + length + (of->count - i) * LIKELY_BYTES;
            if (PyByteArray_Resize(data, room) != 0)
                return false;
            to = PyByteArray_AsString(data);
        }
        memcpy(to + size, bytes, (size_t)length);
        ends[i] = size += length;
    }
    return PyByteArray_Resize(data, size) == 0;
}

/* pack(list, start, stop, values, data, takes): appends these keys of a list to the bytearrays of
 * an Arrow column, or none. Gives the column's format: "l", 64 bits each, or "Z", of which `values`
 * are the offsets into `data`; "" if the keys are not all of one, or not of one that `takes` names:
 * "L" means ints of up to 64 bits, "l" those with a sign. */
static PyObject *pack(PyObject *module, PyObject *arguments)
{
    PyObject   *values, *data;
    Py_ssize_t  stop;
    part        of;
    const char *takes, *format = "";

    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!nnO!O!s", &PyList_Type, &of.list, &of.start, &stop,
                          &PyByteArray_Type, &values, &PyByteArray_Type, &data, &takes))
        return NULL;
    if (of.start < 0 || stop <= of.start || stop > PyList_Size(of.list))
        return PyUnicode_FromString("");
    of.count = stop - of.start;
    const Py_ssize_t before = PyByteArray_Size(values), data_before = PyByteArray_Size(data);
    const bool       ints = Py_IS_TYPE(PyList_GetItem(of.list, of.start), &PyLong_Type);
    const bool       begins = !ints && before == 0; /* the first offset */
    if (strpbrk(takes, ints ? "lL" : "Z") == NULL)
        return PyUnicode_FromString("");
    if (PyByteArray_Resize(values, before + (of.count + begins) * (Py_ssize_t)sizeof(int64_t)) != 0)
        return NULL;
    int64_t *to = (int64_t *)(void *)(PyByteArray_AsString(values) + before);
    if (begins)
        *to++ = 0;
    if (ints ? pack_ints(&of, to, strchr(takes, 'L') != NULL) : pack_texts(&of, to, data))
        format = ints ? "l" : "Z";
    else if (PyByteArray_Resize(values, before) != 0 ||
             PyByteArray_Resize(data, data_before) != 0 || PyErr_Occurred())
        return NULL;
    return PyUnicode_FromString(format);
}

/* ---- The module -------------------------------------------------------------------------------
 */

static PyMethodDef module_functions[] = {
    {"bind", bind, METH_O, NULL},
    {"pack", pack, METH_VARARGS, NULL},
    {"quicken", quicken, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define DOTTED(major, minor, patch) DOTTED_AS_THEY_ARE(major, minor, patch)
#define DOTTED_AS_THEY_ARE(major, minor, patch) #major "." #minor "." #patch

static int fill(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&keys_spec);

    if (type == NULL || PyModule_AddObject(module, "Keys", type) != 0) {
        Py_XDECREF(type);
        return -1;
    }
    return PyModule_AddStringConstant(
        module, "version", DOTTED(INK_VERSION_MAJOR, INK_VERSION_MINOR, INK_VERSION_PATCH));
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)fill},
    {0, NULL},
};
static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_methods = module_functions,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&module);
}
