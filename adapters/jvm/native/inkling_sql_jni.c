/* inkling_sql_jni.c - the SQL functions of adapters/sql for SqlNative.java: the list, states of
 * aggregates, questions.
 *
 * A failure becomes an InkException with the text of adapters/sql, which begins with the name of
 * the function. */
#include "inkling_jni.h"
#include "inkling_spark_SqlNative.h"
#include "sql.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CALL(result, name) JNIEXPORT result JNICALL Java_inkling_spark_SqlNative_##name

enum { ARGUMENTS_MAX = 128, TOP_NUMBERS = 3, SHORT_KEY_BYTES = 256 };

const inksql_engine inksql_engine_here = {.cast_to_text = "CAST(key AS STRING)",
                                          .cast_to_int = "CAST(key AS BIGINT)"};

/* ---- Memory ------------------------------------------------------------------------------- */

/* The bytes of all states, for the collector of Java to hear of. */
static _Atomic int64_t live;

static void *counted_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    void *moved = NULL;

    (void)host;
    if (new_bytes == 0)
        free(block);
    else if ((moved = realloc(block, new_bytes)) == NULL)
        return NULL;
    atomic_fetch_add_explicit(&live, (int64_t)new_bytes - (int64_t)old_bytes, memory_order_relaxed);
    return moved;
}

static void *counted_zeroed(void *host, size_t bytes)
{
    void *block = calloc(1, bytes);

    (void)host;
    if (block != NULL)
        atomic_fetch_add_explicit(&live, (int64_t)bytes, memory_order_relaxed);
    return block;
}

static const ink_allocator counted = {.resize = counted_resize, .zeroed = counted_zeroed};

CALL(jlong, live)(JNIEnv *env, jclass type)
{
    (void)env, (void)type;
    return (jlong)atomic_load_explicit(&live, memory_order_relaxed);
}

/* ---- Values ------------------------------------------------------------------------------- */

static void *object(jlong handle)
{
    return (void *)(uintptr_t)handle;
}

static bool failed(JNIEnv *env, ink_status status, const inksql_error *error)
{
    if (status != INK_OK)
        inkling_jni_throw(env, status, error->text);
    return status != INK_OK;
}

static void no_memory(JNIEnv *env)
{
    inkling_jni_throw(env, INK_MEMORY, "no memory");
}

/* ---- Arrays of Java ------------------------------------------------------------------------ */

/* While an array is pinned, nothing of Java is called and nothing waits for another thread: the
 * collector may stand still until it is not. */
static bool pin(JNIEnv *env, const jarray arrays[], void *pinned[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (arrays[i] != NULL &&
            (pinned[i] = (*env)->GetPrimitiveArrayCritical(env, arrays[i], NULL)) == NULL)
            return false;
    }
    return true;
}

/* Those that pin has pinned. The mode is that of JNI: JNI_ABORT if nothing was written. */
static void unpin(JNIEnv *env, const jarray arrays[], void *const pinned[], size_t count, jint mode)
{
    while (count-- > 0) {
        if (pinned[count] != NULL)
            (*env)->ReleasePrimitiveArrayCritical(env, arrays[count], pinned[count], mode);
    }
}

static const inksql_error no_array = {.status = INK_MEMORY,
                                      .text = "no memory to hand an array over"};

/* The arrays of a batch: what its keys are for, which are states or answers; the keys; weights. */
enum { FOR, INTS, DATA, OFFSETS, WEIGHTS, BATCH_ARRAYS };

static ink_batch batch_of(void *const pinned[BATCH_ARRAYS], jint count)
{
    return (ink_batch){.count = (size_t)count,
                       .ints = pinned[INTS],
                       .data = pinned[DATA],
                       .offsets = pinned[OFFSETS],
                       .weights = pinned[WEIGHTS]};
}

/* Where a result is written: an array of Java, which is pinned once there is one. With `before`,
 * that many zeros come first, and the array is one of whole words of 8 bytes. */
typedef struct made_array {
    JNIEnv *env;
    size_t  before;
    jarray  array;
    void   *pinned;
} made_array;

static void unpin_made(made_array *made)
{
    unpin(made->env, &made->array, &made->pinned, 1, 0);
    made->pinned = NULL;
}

static void *room_of(void *host, size_t bytes)
{
    made_array *made = host;

    unpin_made(made);
    if (made->before > 0)
        bytes = (made->before + bytes + 7) / 8 * 8;
    made->array = inkling_jni_array(made->env, bytes);
    if (made->array == NULL || !pin(made->env, &made->array, &made->pinned, 1))
        return NULL;
    return (uint8_t *)made->pinned + made->before;
}

/* ---- Arguments and results ----------------------------------------------------------------- */

/* Arguments as Java has them, while a call lasts. Bytes are copies. */
typedef struct arguments {
    inksql_value values[ARGUMENTS_MAX];
    void        *copies[ARGUMENTS_MAX];
    size_t       count;
} arguments;

static bool copy_bytes(JNIEnv *env, arguments *to, size_t i, jobjectArray data)
{
    jbyteArray array = (*env)->GetObjectArrayElement(env, data, (jsize)i);
    jsize      bytes = array == NULL ? 0 : (*env)->GetArrayLength(env, array);

    to->copies[i] = malloc((size_t)bytes + 1);
    if (to->copies[i] == NULL) {
        no_memory(env);
        return false;
    }
    if (array != NULL)
        (*env)->GetByteArrayRegion(env, array, 0, bytes, to->copies[i]);
    (*env)->DeleteLocalRef(env, array);
    to->values[i].data = to->copies[i];
    to->values[i].bytes = (size_t)bytes;
    return true;
}

static void release_arguments(arguments *of)
{
    for (size_t i = 0; i < of->count; i++)
        free(of->copies[i]);
}

/* Of each argument its type; wholes, or the bits of a real; bytes. */
static bool read_arguments(JNIEnv *env, arguments *to, jintArray types, jlongArray numbers,
                           jobjectArray data)
{
    jint  type[ARGUMENTS_MAX];
    jlong number[ARGUMENTS_MAX];
    jsize count = (*env)->GetArrayLength(env, types);

    to->count = 0;
    if (count > ARGUMENTS_MAX) {
        inkling_jni_throw(env, INK_USAGE, "more arguments than 128");
        return false;
    }
    (*env)->GetIntArrayRegion(env, types, 0, count, type);
    (*env)->GetLongArrayRegion(env, numbers, 0, count, number);
    if ((*env)->ExceptionCheck(env))
        return false;
    for (jsize i = 0; i < count; i++) {
        const bool has_bytes = type[i] == INKSQL_TEXT || type[i] == INKSQL_BYTES;
        to->values[i] = (inksql_value){.type = (inksql_type)type[i], .whole = number[i]};
        to->copies[i] = NULL;
        if (type[i] == INKSQL_REAL)
            memcpy(&to->values[i].real, &number[i], sizeof(number[i]));
        else if (type[i] == INKSQL_OPENED)
            to->values[i].opened = object(number[i]);
        to->count = (size_t)i + 1;
        if (has_bytes && !copy_bytes(env, to, (size_t)i, data))
            return false;
    }
    return true;
}

/* A result: its type, and its number or how many bytes it has, in `numbers`; and its bytes, in the
 * array that was made. */
static jbyteArray give(JNIEnv *env, ink_status status, const inksql_value *result, made_array *made,
                       jlongArray numbers, const inksql_error *error)
{
    unpin_made(made);
    if (failed(env, status, error))
        return NULL;
    jlong found[] = {result->type, result->whole};
    if (result->type == INKSQL_REAL)
        memcpy(&found[1], &result->real, sizeof(found[1]));
    if (made->array != NULL)
        found[1] = (jlong)result->bytes;
    if (numbers != NULL)
        (*env)->SetLongArrayRegion(env, numbers, 0, 2, found);
    return made->array;
}

/* ---- The list ----------------------------------------------------------------------------- */

CALL(jobjectArray, function)(JNIEnv *env, jclass type, jint id, jintArray numbers)
{
    (void)type;
    if (id >= INKSQL_FUNCTIONS)
        return NULL;
    const inksql_function *function = &inksql_functions[id];
    const jint   about[] = {(jint)function->shape, (jint)function->gives, function->opens_files,
                            function->kind != NULL};
    const char  *texts[] = {function->name, function->forms, function->text};
    jobjectArray all =
        (*env)->NewObjectArray(env, 3, (*env)->FindClass(env, "java/lang/String"), NULL);
    for (jsize i = 0; all != NULL && i < 3; i++)
        (*env)->SetObjectArrayElement(env, all, i, (*env)->NewStringUTF(env, texts[i]));
    (*env)->SetIntArrayRegion(env, numbers, 0, 4, about);
    return all;
}

CALL(void, refuse)(JNIEnv *env, jclass type, jint id, jstring name)
{
    inksql_error error;
    const char  *text = (*env)->GetStringUTFChars(env, name, NULL);

    (void)type;
    if (text == NULL)
        return;
    failed(env, inksql_refuse_type(&inksql_functions[id], text, strlen(text), &error), &error);
    (*env)->ReleaseStringUTFChars(env, name, text);
}

/* ---- Aggregates --------------------------------------------------------------------------- */

CALL(jlong, plan)(JNIEnv *env, jclass type, jint id, jbyteArray options)
{
    inksql_error error;
    jsize        bytes = options == NULL ? 0 : (*env)->GetArrayLength(env, options);
    char        *text = malloc((size_t)bytes + 1);
    inksql_plan *plan = calloc(1, sizeof(*plan));
    ink_status   status = INK_MEMORY;

    (void)type;
    if (text == NULL || plan == NULL) {
        no_memory(env);
    } else {
        if (options != NULL)
            (*env)->GetByteArrayRegion(env, options, 0, bytes, (jbyte *)text);
        status = inksql_plan_read(plan, &inksql_functions[id], options == NULL ? NULL : text,
                                  (size_t)bytes, &error);
        failed(env, status, &error);
    }
    free(text);
    if (status != INK_OK) {
        free(plan);
        plan = NULL;
    }
    return (jlong)(uintptr_t)plan;
}

CALL(jboolean, drafts)(JNIEnv *env, jclass type, jlong plan)
{
    (void)env, (void)type;
    return ((const inksql_plan *)object(plan))->drafts;
}

CALL(jlong, start)(JNIEnv *env, jclass type, jint id)
{
    inksql_state *state = counted_zeroed(NULL, sizeof(*state));

    (void)type;
    if (state == NULL)
        no_memory(env);
    else
        inksql_state_start(state, &inksql_functions[id], &counted);
    return (jlong)(uintptr_t)state;
}

CALL(void, free)(JNIEnv *env, jclass type, jlong state)
{
    (void)env, (void)type;
    inksql_state_free(object(state));
    counted_resize(NULL, object(state), sizeof(inksql_state), 0);
}

static void add_each(JNIEnv *env, const jarray arrays[BATCH_ARRAYS], inksql_plan *plan, jint count)
{
    void        *pinned[BATCH_ARRAYS] = {NULL};
    inksql_error error = no_array;
    ink_status   status = INK_MEMORY;

    if (pin(env, arrays, pinned, BATCH_ARRAYS)) {
        const ink_batch batch = batch_of(pinned, count);
        status = inksql_add_each(pinned[FOR], plan, &batch, &error);
    }
    unpin(env, arrays, pinned, BATCH_ARRAYS, JNI_ABORT);
    failed(env, status, &error);
}

CALL(void, addLongs)
(JNIEnv *env, jclass type, jlongArray states, jlong plan, jlongArray keys, jlongArray weights,
 jint count)
{
    (void)type;
    add_each(env, (jarray[BATCH_ARRAYS]){states, keys, NULL, NULL, weights}, object(plan), count);
}

CALL(void, addBytes)
(JNIEnv *env, jclass type, jlongArray states, jlong plan, jbyteArray data, jlongArray offsets,
 jlongArray weights, jint count)
{
    (void)type;
    add_each(env, (jarray[BATCH_ARRAYS]){states, NULL, data, offsets, weights}, object(plan),
             count);
}

CALL(void, step)
(JNIEnv *env, jclass type, jlong state, jintArray types, jlongArray numbers, jobjectArray data)
{
    arguments    given;
    inksql_plan  plan = {.function = NULL};
    inksql_error error;

    (void)type;
    if (read_arguments(env, &given, types, numbers, data))
        failed(env, inksql_step(object(state), &plan, given.values, given.count, &error), &error);
    release_arguments(&given);
}

CALL(void, merge)(JNIEnv *env, jclass type, jlong into, jlong from)
{
    inksql_error error;

    (void)type;
    failed(env, inksql_state_merge(object(into), object(from), &error), &error);
}

CALL(jbyteArray, finish)(JNIEnv *env, jclass type, jlong state, jlongArray numbers)
{
    made_array          made = {.env = env};
    const inksql_output output = {.room = room_of, .host = &made};
    inksql_value        result = {.type = INKSQL_NULL};
    inksql_error        error;

    (void)type;
    ink_status status = inksql_finish(object(state), &output, &result, &error);
    return give(env, status, &result, &made, numbers, &error);
}

CALL(jbyteArray, encode)(JNIEnv *env, jclass type, jlong state, jint before, jlongArray numbers)
{
    made_array          made = {.env = env, .before = (size_t)before};
    const inksql_output output = {.room = room_of, .host = &made};
    inksql_value        result = {.type = INKSQL_NULL};
    inksql_error        error;

    (void)type;
    ink_status status = inksql_state_encode(object(state), &output, &result, &error);
    return give(env, status, &result, &made, numbers, &error);
}

CALL(void, decode)(JNIEnv *env, jclass type, jlong state, jbyteArray data)
{
    const jarray array = data;
    const size_t bytes = (size_t)(*env)->GetArrayLength(env, data);
    void        *pinned = NULL;
    inksql_error error = no_array;
    ink_status   status = INK_MEMORY;

    (void)type;
    if (pin(env, &array, &pinned, 1))
        status = inksql_state_decode(object(state), pinned, bytes, &error);
    unpin(env, &array, &pinned, 1, JNI_ABORT);
    failed(env, status, &error);
}

/* ---- Scalars ------------------------------------------------------------------------------ */

CALL(jlong, cacheCreate)(JNIEnv *env, jclass type)
{
    inksql_cache *cache = inksql_cache_create(&counted);

    (void)type;
    if (cache == NULL)
        no_memory(env);
    return (jlong)(uintptr_t)cache;
}

CALL(void, cacheFree)(JNIEnv *env, jclass type, jlong cache)
{
    (void)env, (void)type;
    inksql_cache_free(object(cache));
}

CALL(jlong, open)(JNIEnv *env, jclass type, jlong cache, jint id, jbyteArray data)
{
    const jarray   array = data;
    const size_t   bytes = (size_t)(*env)->GetArrayLength(env, data);
    void          *pinned = NULL;
    inksql_opened *opened = NULL;
    inksql_error   error = no_array;
    ink_status     status = INK_MEMORY;

    (void)type;
    if (pin(env, &array, &pinned, 1))
        status = inksql_cache_value(object(cache), &inksql_functions[id], pinned, bytes, &opened,
                                    &error);
    unpin(env, &array, &pinned, 1, JNI_ABORT);
    return failed(env, status, &error) ? 0 : (jlong)(uintptr_t)opened;
}

CALL(void, release)(JNIEnv *env, jclass type, jlong opened)
{
    (void)env, (void)type;
    inksql_release(object(opened));
}

CALL(jint, maybeLong)(JNIEnv *env, jclass type, jlong opened, jlong key)
{
    (void)env, (void)type;
    return ink_sketch_maybe_int(inksql_sketch(object(opened)), key);
}

/* Short keys are copied: an array that is pinned is dearer, and holds the collector up. */
CALL(jint, maybeBytes)
(JNIEnv *env, jclass type, jlong opened, jbyteArray data, jint from, jint count)
{
    uint8_t short_key[SHORT_KEY_BYTES];
    int     maybe;

    (void)type;
    if (count <= SHORT_KEY_BYTES) {
        (*env)->GetByteArrayRegion(env, data, from, count, (jbyte *)short_key);
        return ink_sketch_maybe(inksql_sketch(object(opened)), short_key, (size_t)count);
    }
    uint8_t *start = (*env)->GetPrimitiveArrayCritical(env, data, NULL);
    if (start == NULL)
        return -1;
    maybe = ink_sketch_maybe(inksql_sketch(object(opened)), start + from, (size_t)count);
    (*env)->ReleasePrimitiveArrayCritical(env, data, start, JNI_ABORT);
    return maybe;
}

/* Asks about all keys of a batch. */
static void maybe_each(JNIEnv *env, const jarray arrays[BATCH_ARRAYS], jint id,
                       const inksql_opened *opened, jint count)
{
    void        *pinned[BATCH_ARRAYS] = {NULL};
    inksql_error error = no_array;
    ink_status   status = INK_MEMORY;

    if (pin(env, arrays, pinned, BATCH_ARRAYS)) {
        const ink_batch batch = batch_of(pinned, count);
        status = inksql_contains_each(&inksql_functions[id], opened, &batch, pinned[FOR], &error);
    }
    unpin(env, arrays, pinned, BATCH_ARRAYS, 0);
    failed(env, status, &error);
}

CALL(void, maybeLongs)
(JNIEnv *env, jclass type, jint id, jlong opened, jlongArray keys, jint count, jbyteArray answers)
{
    (void)type;
    maybe_each(env, (jarray[BATCH_ARRAYS]){answers, keys}, id, object(opened), count);
}

CALL(void, maybeEach)
(JNIEnv *env, jclass type, jint id, jlong opened, jbyteArray data, jlongArray offsets, jint count,
 jbyteArray answers)
{
    (void)type;
    maybe_each(env, (jarray[BATCH_ARRAYS]){answers, NULL, data, offsets}, id, object(opened),
               count);
}

CALL(jbyteArray, call)
(JNIEnv *env, jclass type, jint id, jlong cache, jintArray types, jlongArray numbers,
 jobjectArray data, jlongArray found)
{
    arguments           given;
    made_array          made = {.env = env};
    const inksql_output output = {.room = room_of, .host = &made};
    inksql_value        result = {.type = INKSQL_NULL};
    inksql_error        error;
    jbyteArray          bytes = NULL;

    (void)type;
    if (read_arguments(env, &given, types, numbers, data)) {
        ink_status status = inksql_call(&inksql_functions[id], object(cache), given.values,
                                        given.count, &counted, &output, &result, &error);
        bytes = give(env, status, &result, &made, found, &error);
    }
    release_arguments(&given);
    return bytes;
}

/* ---- Tables ------------------------------------------------------------------------------- */

/* A row of ink_top_keys: a text, and three numbers after those of the rows before. */
static void put_row(JNIEnv *env, const inksql_value columns[INKSQL_COLUMNS_MAX], jobject keys,
                    jmethodID add, jlongArray numbers, jsize row)
{
    jbyteArray key = inkling_jni_bytes(env, columns[0].data, columns[0].bytes);
    jlong      counts[TOP_NUMBERS] = {columns[1].whole, columns[2].whole, columns[3].whole};

    if (key == NULL)
        return;
    (*env)->CallBooleanMethod(env, keys, add, key);
    if (!(*env)->ExceptionCheck(env))
        (*env)->SetLongArrayRegion(env, numbers, TOP_NUMBERS * row, TOP_NUMBERS, counts);
    (*env)->DeleteLocalRef(env, key);
}

/* Adds the keys of rows to a list, and puts their numbers into an array; rows that find no room
 * there are left out. */
CALL(void, topKeys)
(JNIEnv *env, jclass type, jint id, jintArray types, jlongArray values, jobjectArray data,
 jobject keys, jlongArray numbers)
{
    arguments    given;
    inksql_rows *rows = NULL;
    inksql_value columns[INKSQL_COLUMNS_MAX];
    inksql_error error;
    jsize        room = (*env)->GetArrayLength(env, numbers) / TOP_NUMBERS;
    jmethodID    add =
        (*env)->GetMethodID(env, (*env)->GetObjectClass(env, keys), "add", "(Ljava/lang/Object;)Z");

    (void)type;
    given.count = 0;
    if (add != NULL && read_arguments(env, &given, types, values, data)) {
        ink_status status = inksql_rows_open(&rows, &inksql_functions[id], given.values,
                                             given.count, &counted, &error);
        bool       more = status == INK_OK;
        for (jsize row = 0; more && row < room && !(*env)->ExceptionCheck(env); row++) {
            status = inksql_rows_next(rows, columns, &more, &error);
            more = more && status == INK_OK;
            if (more)
                put_row(env, columns, keys, add, numbers, row);
        }
        inksql_rows_close(rows);
        failed(env, status, &error);
    }
    release_arguments(&given);
}
