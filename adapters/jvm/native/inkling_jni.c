/* inkling_jni.c - the calls of inkling.h and inkling_file.h for Native.java: arguments in, one
 * call, results out.
 *
 * A failure becomes an InkException, which Java throws on return. Between the Get and the Release
 * of a "critical" array nothing of Java is called, as JNI demands; Java hands over parts of large
 * arrays, so that its collector waits for milliseconds at most. Who may call at the same time is
 * checked in Java (NativeObject). */
#include "inkling_jni.h"

#include "inkling_Native.h"
#include "inkling_file.h"

#include <stdlib.h>
#include <string.h>

#define CALL(result, name) JNIEXPORT result JNICALL Java_inkling_Native_##name

/* Keys that are copied to the stack; longer ones are pinned. */
enum { SHORT_KEY_BYTES = 1024, NAME_BYTES = 48, PARAMETERS_MAX = 128, ANSWER_NUMBERS = 5 };

static jclass    failure_class, bytes_class, object_class, text_class;
static jmethodID failure_make;

/* Parameters as builders in Java name them: expectedKeys. */
static char        names[PARAMETERS_MAX][NAME_BYTES];
static const char *name_list[PARAMETERS_MAX];
static size_t      name_count;

static void name_parameters(void)
{
    const char *from;

    for (size_t p = 0; p < PARAMETERS_MAX && (from = ink_parameter_name(p)) != NULL; p++) {
        size_t length = 0;
        for (; *from != '\0' && length < NAME_BYTES - 1; from++) {
            bool is_joint = *from == '_' && from[1] >= 'a' && from[1] <= 'z';
            names[p][length++] = is_joint ? (char)(*++from - 'a' + 'A') : *from;
        }
        name_list[p] = names[p];
        name_count = p + 1;
    }
}

static jclass lasting_class(JNIEnv *env, const char *name)
{
    jclass found = (*env)->FindClass(env, name);
    return found == NULL ? NULL : (*env)->NewGlobalRef(env, found);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    JNIEnv *env = NULL;

    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK)
        return JNI_ERR;
    failure_class = lasting_class(env, "inkling/InkException");
    bytes_class = lasting_class(env, "[B");
    object_class = lasting_class(env, "java/lang/Object");
    text_class = lasting_class(env, "java/lang/String");
    if (failure_class == NULL || bytes_class == NULL || object_class == NULL || text_class == NULL)
        return JNI_ERR;
    failure_make = (*env)->GetMethodID(env, failure_class, "<init>", "(IIJI[B)V");
    name_parameters();
    return failure_make == NULL ? JNI_ERR : JNI_VERSION_10;
}

JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved)
{
    JNIEnv *env = NULL;
    jclass  classes[] = {failure_class, bytes_class, object_class, text_class};

    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK)
        return;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        (*env)->DeleteGlobalRef(env, classes[i]);
}

/* ---- Out of and into Java ---------------------------------------------------------------- */

jbyteArray inkling_jni_array(JNIEnv *env, size_t bytes)
{
    if (bytes > INT32_MAX - 8) { /* the longest array of many a JVM */
        jclass memory = (*env)->FindClass(env, "java/lang/OutOfMemoryError");
        (*env)->ThrowNew(env, memory, "more bytes than an array of Java can have");
        return NULL;
    }
    return (*env)->NewByteArray(env, (jsize)bytes);
}

jbyteArray inkling_jni_bytes(JNIEnv *env, const void *data, size_t bytes)
{
    jbyteArray array = inkling_jni_array(env, bytes);

    if (array != NULL && bytes > 0)
        (*env)->SetByteArrayRegion(env, array, 0, (jsize)bytes, data);
    return array;
}

static void throw_at(JNIEnv *env, const ink_error *error, const char *text, size_t bytes)
{
    jbyteArray message;
    jobject    failure;

    if ((*env)->ExceptionCheck(env) || (message = inkling_jni_bytes(env, text, bytes)) == NULL)
        return;
    failure =
        (*env)->NewObject(env, failure_class, failure_make, (jint)error->status,
                          (jint)error->location, (jlong)error->at, (jint)error->os_error, message);
    if (failure != NULL)
        (*env)->Throw(env, failure);
}

void inkling_jni_throw(JNIEnv *env, ink_status status, const char *text)
{
    throw_at(env, &(ink_error){.status = status}, text, strlen(text));
}

/* Throws what a call reported. */
static void fail(JNIEnv *env, const ink_error *error)
{
    char      text[4 * INK_MESSAGE_BYTES];
    ink_error bare = *error;

    bare.location = INK_NOWHERE; /* it stands beside the message */
    size_t length = ink_error_text_named(&bare, name_list, name_count, text, sizeof(text));
    throw_at(env, error, text, length);
}

static bool failed(JNIEnv *env, ink_status status, const ink_error *error)
{
    if (status != INK_OK)
        fail(env, error);
    return status != INK_OK;
}

static void *object(jlong handle)
{
    return (void *)(uintptr_t)handle;
}

static jlong handle_of(const void *made)
{
    return (jlong)(uintptr_t)made;
}

/* A copy of an array with a NUL after it, which the caller frees; NULL, with an exception, if there
 * is no memory. */
static char *copied(JNIEnv *env, jbyteArray array, size_t *bytes)
{
    jsize count = (*env)->GetArrayLength(env, array);
    char *copy = malloc((size_t)count + 1);

    if (copy == NULL) {
        fail(env, &(ink_error){.status = INK_MEMORY, .message = "no memory"});
        return NULL;
    }
    (*env)->GetByteArrayRegion(env, array, 0, count, (jbyte *)copy);
    copy[count] = '\0';
    if (bytes != NULL)
        *bytes = (size_t)count;
    return copy;
}

static jstring text_of(JNIEnv *env, const char *ascii)
{
    return (*env)->NewStringUTF(env, ascii == NULL ? "" : ascii);
}

static void put_answer(jdouble *numbers, const ink_answer *answer)
{
    numbers[0] = answer->estimate;
    numbers[1] = answer->low;
    numbers[2] = answer->high;
    numbers[3] = answer->confidence;
    numbers[4] = answer->saturated ? 1 : 0;
}

static jdoubleArray reals_of(JNIEnv *env, const jdouble *reals, jsize count)
{
    jdoubleArray array = (*env)->NewDoubleArray(env, count);
    if (array != NULL)
        (*env)->SetDoubleArrayRegion(env, array, 0, count, reals);
    return array;
}

static jdoubleArray answer_of(JNIEnv *env, ink_status status, const ink_answer *answer,
                              const ink_error *error)
{
    jdouble numbers[ANSWER_NUMBERS];

    if (failed(env, status, error))
        return NULL;
    put_answer(numbers, answer);
    return reals_of(env, numbers, ANSWER_NUMBERS);
}

/* The object that a call put into the pointer at `where`, which is read after the call: it may be
 * an argument, too. */
static jlong made(JNIEnv *env, ink_status status, const void *where, const ink_error *error)
{
    const void *object = NULL;

    if (failed(env, status, error))
        return 0;
    memcpy(&object, where, sizeof(object));
    return handle_of(object);
}

/* ---- A sketch: made and freed ------------------------------------------------------------- */

/* Parameters as Java has them: numbers and reals in the order of SketchBuilder. */
typedef struct parameters {
    ink_params  params;
    const char *kind, *hash;
    uint8_t     secret[INK_SECRET_BYTES];
} parameters;

static bool read_parameters(JNIEnv *env, parameters *to, jstring kind, jlongArray numbers,
                            jdoubleArray reals, jstring hash, jbyteArray secret)
{
    jlong   n[inkling_Native_NUMBERS] = {0};
    jdouble r[inkling_Native_REALS] = {0};

    memset(to, 0, sizeof(*to));
    (*env)->GetLongArrayRegion(env, numbers, 0, inkling_Native_NUMBERS, n);
    (*env)->GetDoubleArrayRegion(env, reals, 0, inkling_Native_REALS, r);
    if (secret != NULL)
        (*env)->GetByteArrayRegion(env, secret, 0, INK_SECRET_BYTES, (jbyte *)to->secret);
    if ((*env)->ExceptionCheck(env) ||
        (to->kind = (*env)->GetStringUTFChars(env, kind, NULL)) == NULL)
        return false;
    if (hash != NULL && (to->hash = (*env)->GetStringUTFChars(env, hash, NULL)) == NULL) {
        (*env)->ReleaseStringUTFChars(env, kind, to->kind);
        return false;
    }
    to->params = (ink_params){
        .kind = to->kind,
        .expected_keys = (uint64_t)n[0],
        .bits = (uint64_t)n[1],
        .hashes = (uint32_t)n[2],
        .width = (uint64_t)n[3],
        .depth = (uint32_t)n[4],
        .counter_bits = (uint32_t)n[5],
        .conservative = n[6] != 0,
        .top_keys = (uint32_t)n[7],
        .precision = (uint32_t)n[8],
        .key_type = (ink_key_type)n[9],
        .seed = (uint64_t)n[10],
        .has_seed = n[11] != 0,
        .concurrent = (uint64_t)n[12],
        .false_positive_rate = r[0],
        .ratio = r[1],
        .epsilon = r[2],
        .delta = r[3],
        .phi = r[4],
        .max_rate = r[5],
        .hash = to->hash,
        .secret = secret == NULL ? NULL : to->secret,
    };
    return true;
}

static void release_parameters(JNIEnv *env, parameters *of, jstring kind, jstring hash)
{
    (*env)->ReleaseStringUTFChars(env, kind, of->kind);
    if (hash != NULL)
        (*env)->ReleaseStringUTFChars(env, hash, of->hash);
    memset(of->secret, 0, sizeof(of->secret));
}

CALL(jstring, version)(JNIEnv *env, jclass type)
{
    (void)type;
    return text_of(env, ink_version());
}

CALL(jobjectArray, kinds)(JNIEnv *env, jclass type)
{
    size_t count = 0;

    (void)type;
    while (ink_kind_name(count) != NULL)
        count++;
    jobjectArray list = (*env)->NewObjectArray(env, (jsize)count, text_class, NULL);
    for (size_t i = 0; list != NULL && i < count; i++)
        (*env)->SetObjectArrayElement(env, list, (jsize)i, text_of(env, ink_kind_name(i)));
    return list;
}

CALL(jlong, create)
(JNIEnv *env, jclass type, jstring kind, jlongArray numbers, jdoubleArray reals, jstring hash,
 jbyteArray secret)
{
    parameters  with;
    ink_sketch *sketch = NULL;
    ink_error   error;

    (void)type;
    if (!read_parameters(env, &with, kind, numbers, reals, hash, secret))
        return 0;
    ink_status status = ink_sketch_create(&sketch, &with.params, NULL, &error);
    release_parameters(env, &with, kind, hash);
    return made(env, status, &sketch, &error);
}

CALL(void, free)(JNIEnv *env, jclass type, jlong sketch)
{
    (void)env, (void)type;
    ink_sketch_free(object(sketch));
}

CALL(jlong, memory)(JNIEnv *env, jclass type, jlong sketch)
{
    (void)env, (void)type;
    return (jlong)ink_sketch_memory(object(sketch));
}

CALL(jlong, copy)(JNIEnv *env, jclass type, jlong from)
{
    ink_sketch *sketch = NULL;
    ink_error   error;

    (void)type;
    return made(env, ink_sketch_copy(&sketch, object(from), NULL, &error), &sketch, &error);
}

CALL(jlong, like)(JNIEnv *env, jclass type, jlong from)
{
    ink_sketch *sketch = NULL;
    ink_error   error;

    (void)type;
    return made(env, ink_sketch_create_like(&sketch, object(from), NULL, &error), &sketch, &error);
}

CALL(jlong, convert)(JNIEnv *env, jclass type, jlong from, jstring kind)
{
    ink_sketch *sketch = NULL;
    ink_error   error;
    const char *name = (*env)->GetStringUTFChars(env, kind, NULL);

    (void)type;
    if (name == NULL)
        return 0;
    ink_status status = ink_sketch_convert(&sketch, object(from), name, NULL, &error);
    (*env)->ReleaseStringUTFChars(env, kind, name);
    return made(env, status, &sketch, &error);
}

CALL(void, share)(JNIEnv *env, jclass type, jlong sketch)
{
    ink_error error;

    (void)type;
    failed(env, ink_sketch_share(object(sketch), &error), &error);
}

CALL(void, unlock)(JNIEnv *env, jclass type, jlong sketch, jbyteArray secret)
{
    ink_error error;
    uint8_t   bytes[INK_SECRET_BYTES];

    (void)type;
    (*env)->GetByteArrayRegion(env, secret, 0, INK_SECRET_BYTES, (jbyte *)bytes);
    if (!(*env)->ExceptionCheck(env))
        failed(env, ink_sketch_unlock(object(sketch), bytes, &error), &error);
    memset(bytes, 0, sizeof(bytes));
}

/* ---- One key ------------------------------------------------------------------------------ */

/* A key of bytes: on the stack, or pinned. */
typedef struct key {
    const void *data;
    jbyteArray  pinned;
    uint8_t     copy[SHORT_KEY_BYTES];
} key;

static bool read_key(JNIEnv *env, key *to, jbyteArray array, jint from, jint bytes)
{
    to->pinned = NULL;
    to->data = to->copy;
    if (bytes <= SHORT_KEY_BYTES) {
        (*env)->GetByteArrayRegion(env, array, from, bytes, (jbyte *)to->copy);
        return !(*env)->ExceptionCheck(env);
    }
    const jbyte *start = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    to->pinned = array;
    to->data = start + from;
    to->pinned = start == NULL ? NULL : array;
    return start != NULL;
}

static void release_key(JNIEnv *env, const key *of, jint from)
{
    if (of->pinned != NULL)
        (*env)->ReleasePrimitiveArrayCritical(env, of->pinned, (jbyte *)(uintptr_t)of->data - from,
                                              JNI_ABORT);
}

CALL(void, addLong)(JNIEnv *env, jclass type, jlong sketch, jlong number)
{
    ink_error error;

    (void)type;
    failed(env, ink_sketch_add_int(object(sketch), number, &error), &error);
}

CALL(void, addBytes)
(JNIEnv *env, jclass type, jlong sketch, jbyteArray array, jint from, jint bytes)
{
    ink_error error;
    key       one;

    (void)type;
    if (!read_key(env, &one, array, from, bytes))
        return;
    ink_status status = ink_sketch_add(object(sketch), one.data, (size_t)bytes, &error);
    release_key(env, &one, from);
    failed(env, status, &error);
}

CALL(jint, maybeLong)(JNIEnv *env, jclass type, jlong sketch, jlong number)
{
    (void)env, (void)type;
    return ink_sketch_maybe_int(object(sketch), number);
}

CALL(jint, maybeBytes)
(JNIEnv *env, jclass type, jlong sketch, jbyteArray array, jint from, jint bytes)
{
    key one;

    (void)type;
    if (!read_key(env, &one, array, from, bytes))
        return -1;
    int maybe = ink_sketch_maybe(object(sketch), one.data, (size_t)bytes);
    release_key(env, &one, from);
    return maybe;
}

CALL(jlong, timesLong)(JNIEnv *env, jclass type, jlong sketch, jlong number)
{
    (void)env, (void)type;
    return ink_sketch_times_int(object(sketch), number);
}

CALL(jlong, timesBytes)
(JNIEnv *env, jclass type, jlong sketch, jbyteArray array, jint from, jint bytes)
{
    key one;

    (void)type;
    if (!read_key(env, &one, array, from, bytes))
        return -1;
    int64_t times = ink_sketch_times(object(sketch), one.data, (size_t)bytes);
    release_key(env, &one, from);
    return times;
}

/* ---- Many keys ---------------------------------------------------------------------------- */

/* What a batch is for: a call, with room for its results where it has some. */
static ink_status apply(jint call, jlong to, const ink_batch *batch, uint8_t *flags,
                        ink_answer *answers, ink_error *error)
{
    switch (call) {
    case inkling_Native_ADD:
        return ink_sketch_add_batch(object(to), batch, error);
    case inkling_Native_CONTAINS:
        return ink_sketch_contains_batch(object(to), batch, flags, error);
    case inkling_Native_COUNT:
        return ink_sketch_count_batch(object(to), batch, answers, error);
    case inkling_Native_ADD_NEW:
        return ink_sketch_add_new_batch(object(to), batch, flags, error);
    case inkling_Native_REMOVE:
        return ink_sketch_remove_batch(object(to), batch, error);
    default:
        return ink_draft_add_batch(object(to), batch, error);
    }
}

/* The arrays of a batch while they are pinned. */
typedef struct pinned {
    JNIEnv *env;
    jarray  arrays[4];
    void   *data[4];
    jint    modes[4];
    size_t  count;
    bool    failed;
} pinned;

/* The elements of an array from number `from` on; NULL of none. */
static void *pin(pinned *to, jarray array, size_t element_bytes, jint from, jint mode)
{
    if (array == NULL || to->failed)
        return NULL;
    void *data = (*to->env)->GetPrimitiveArrayCritical(to->env, array, NULL);
    to->failed = data == NULL;
    if (data == NULL)
        return NULL;
    to->arrays[to->count] = array;
    to->data[to->count] = data;
    to->modes[to->count++] = mode;
    return (uint8_t *)data + element_bytes * (size_t)from;
}

static void unpin(pinned *of)
{
    while (of->count-- > 0)
        (*of->env)->ReleasePrimitiveArrayCritical(of->env, of->arrays[of->count],
                                                  of->data[of->count], of->modes[of->count]);
}

static void put_answers(JNIEnv *env, jdoubleArray to, jint at, const ink_answer *answers,
                        jint count)
{
    for (jint i = 0; i < count; i++) {
        jdouble numbers[ANSWER_NUMBERS];
        put_answer(numbers, &answers[i]);
        (*env)->SetDoubleArrayRegion(env, to, (at + i) * ANSWER_NUMBERS, ANSWER_NUMBERS, numbers);
    }
}

/* Calls with keys that Java has: ints, or bytes with their offsets. Weights and results are those
 * from `at` on. */
static void batch_call(JNIEnv *env, jint call, jlong to, jlongArray ints, jbyteArray data,
                       jlongArray offsets, jint from, jint count, jlongArray weights,
                       jbooleanArray flags, jdoubleArray reals, jint at)
{
    ink_answer answers[inkling_Native_COUNTS];
    ink_error  error;
    ink_status status = INK_OK;
    pinned     held = {.env = env};
    ink_batch  batch = {
         .count = (size_t)count,
         .ints = pin(&held, ints, sizeof(int64_t), from, JNI_ABORT),
         .data = pin(&held, data, 1, 0, JNI_ABORT),
         .offsets = pin(&held, offsets, sizeof(uint64_t), from, JNI_ABORT),
         .weights = pin(&held, weights, sizeof(uint64_t), at, JNI_ABORT),
    };
    uint8_t *results = pin(&held, flags, 1, at, 0);
    if (!held.failed)
        status = apply(call, to, &batch, results, answers, &error);
    unpin(&held);
    if (held.failed)
        fail(env, &(ink_error){.status = INK_MEMORY, .message = "no memory to hand an array over"});
    else if (!failed(env, status, &error) && reals != NULL)
        put_answers(env, reals, at, answers, count);
}

CALL(void, longs)
(JNIEnv *env, jclass type, jint call, jlong to, jlongArray keys, jint from, jint count,
 jlongArray weights, jbooleanArray flags, jdoubleArray reals, jint at)
{
    (void)type;
    batch_call(env, call, to, keys, NULL, NULL, from, count, weights, flags, reals, at);
}

CALL(void, bytes)
(JNIEnv *env, jclass type, jint call, jlong to, jbyteArray data, jlongArray offsets, jint from,
 jint count, jlongArray weights, jbooleanArray flags, jdoubleArray reals, jint at)
{
    (void)type;
    batch_call(env, call, to, NULL, data, offsets, from, count, weights, flags, reals, at);
}

CALL(void, buffer)
(JNIEnv *env, jclass type, jint call, jlong to, jobject keys, jint from, jint count)
{
    ink_error      error;
    const int64_t *ints = (*env)->GetDirectBufferAddress(env, keys);
    ink_batch      batch = {.count = (size_t)count, .ints = ints == NULL ? NULL : ints + from};

    (void)type;
    failed(env, apply(call, to, &batch, NULL, NULL, &error), &error);
}

/* ---- Numbers ------------------------------------------------------------------------------ */

CALL(jdoubleArray, distinct)(JNIEnv *env, jclass type, jlong sketch, jdouble confidence)
{
    ink_error  error;
    ink_answer answer;

    (void)type;
    return answer_of(env, ink_sketch_distinct(object(sketch), confidence, &answer, &error), &answer,
                     &error);
}

CALL(jdoubleArray, dot)(JNIEnv *env, jclass type, jlong a, jlong b)
{
    ink_error  error;
    ink_answer answer;

    (void)type;
    return answer_of(env, ink_sketch_dot(object(a), object(b), &answer, &error), &answer, &error);
}

CALL(jstring, overlap)
(JNIEnv *env, jclass type, jlong a, jlong b, jdouble confidence, jdoubleArray to)
{
    ink_error   error;
    ink_overlap found;

    (void)type;
    if (failed(env, ink_sketch_overlap(object(a), object(b), confidence, &found, &error), &error))
        return NULL;
    const ink_answer answers[inkling_Native_OVERLAPS] = {
        found.a,      found.b,       found.in_union, found.intersection, found.only_a,
        found.only_b, found.jaccard, found.a_in_b,   found.b_in_a,
    };
    put_answers(env, to, 0, answers, inkling_Native_OVERLAPS);
    return text_of(env, found.method);
}

CALL(jdouble, rate)(JNIEnv *env, jclass type, jlong sketch)
{
    ink_error error;
    double    rate = 0;

    (void)type;
    failed(env, ink_sketch_rate(object(sketch), &rate, &error), &error);
    return rate;
}

/* Keys (or null), numbers, which are cut, and five numbers of each answer. */
static jobjectArray items_of(JNIEnv *env, const ink_item *items, jsize count)
{
    jobjectArray  keys = (*env)->NewObjectArray(env, count, bytes_class, NULL);
    jlongArray    numbers = (*env)->NewLongArray(env, count);
    jbooleanArray cuts = (*env)->NewBooleanArray(env, count);
    jdoubleArray  reals = (*env)->NewDoubleArray(env, count * ANSWER_NUMBERS);
    jobjectArray  all = (*env)->NewObjectArray(env, 4, object_class, NULL);

    if ((*env)->ExceptionCheck(env))
        return NULL;
    for (jsize i = 0; i < count; i++) {
        const jboolean cut = items[i].cut;
        const jlong    number = items[i].key_int;
        if (items[i].key != NULL) {
            jbyteArray one = inkling_jni_bytes(env, items[i].key, items[i].key_bytes);
            if (one == NULL)
                return NULL;
            (*env)->SetObjectArrayElement(env, keys, i, one);
            (*env)->DeleteLocalRef(env, one);
        }
        (*env)->SetLongArrayRegion(env, numbers, i, 1, &number);
        (*env)->SetBooleanArrayRegion(env, cuts, i, 1, &cut);
        put_answers(env, reals, i, &items[i].count, 1);
    }
    jobject parts[] = {keys, numbers, cuts, reals};
    for (jsize i = 0; i < 4; i++)
        (*env)->SetObjectArrayElement(env, all, i, parts[i]);
    return all;
}

CALL(jobjectArray, top)(JNIEnv *env, jclass type, jlong sketch, jlong room, jlong share)
{
    ink_error       error;
    ink_description about;
    size_t          found = 0;
    jobjectArray    list = NULL;

    (void)type;
    ink_sketch_describe(object(sketch), &about);
    size_t     most = about.capacity < 1 ? 1 : (size_t)about.capacity * 2;
    size_t     items_room = share == 0 && (size_t)room < most ? (size_t)room : most;
    ink_item  *items = calloc(items_room + 1, sizeof(*items));
    ink_status status = INK_MEMORY;
    if (items == NULL)
        error = (ink_error){.status = INK_MEMORY, .message = "no memory for the keys"};
    else if (share == 0)
        status = ink_sketch_top(object(sketch), items, items_room, &found, &error);
    else
        status =
            ink_sketch_over(object(sketch), (uint64_t)share, items, items_room, &found, &error);
    if (!failed(env, status, &error))
        list = items_of(env, items, (jsize)found);
    free(items);
    return list;
}

/* ---- Two sketches ------------------------------------------------------------------------- */

CALL(void, merge)
(JNIEnv *env, jclass type, jlong into, jlong from, jdouble max_rate, jboolean parts)
{
    ink_error         error;
    ink_merge_options options = {.max_rate = max_rate, .parts = parts};

    (void)type;
    failed(env, ink_sketch_merge(object(into), object(from), &options, &error), &error);
}

CALL(void, intersect)(JNIEnv *env, jclass type, jlong into, jlong from)
{
    ink_error error;

    (void)type;
    failed(env, ink_sketch_intersect(object(into), object(from), &error), &error);
}

CALL(void, subtract)(JNIEnv *env, jclass type, jlong into, jlong from)
{
    ink_error error;

    (void)type;
    failed(env, ink_sketch_subtract(object(into), object(from), &error), &error);
}

CALL(void, fold)(JNIEnv *env, jclass type, jlong sketch, jlong divisor)
{
    ink_error error;

    (void)type;
    failed(env, ink_sketch_fold(object(sketch), (uint64_t)divisor, &error), &error);
}

CALL(jlong, foldToRate)(JNIEnv *env, jclass type, jlong sketch, jdouble rate)
{
    ink_error error;
    uint64_t  divisor = 0;

    (void)type;
    failed(env, ink_sketch_fold_to_rate(object(sketch), rate, &divisor, &error), &error);
    return (jlong)divisor;
}

/* ---- What it is --------------------------------------------------------------------------- */

/* {kind, hash}, numbers and reals, in the order of Description. */
static jobjectArray description_of(JNIEnv *env, const ink_description *about)
{
    const jlong numbers[] = {
        about->key_type,       about->keyed,
        (jlong)about->records, (jlong)about->expected_keys,
        (jlong)about->bits,    about->hashes,
        (jlong)about->width,   about->depth,
        (jlong)about->total,   (jlong)about->capacity,
        about->precision,      (jlong)about->bytes,
        about->read_only,      (jlong)about->concurrent,
        about->order_free,
    };
    const jdouble reals[] = {about->epsilon,     about->delta,         about->standard_error,
                             about->target_rate, about->promised_rate, about->phi};
    const jsize   number_count = sizeof(numbers) / sizeof(numbers[0]);
    const jsize   real_count = sizeof(reals) / sizeof(reals[0]);
    jlongArray    list = (*env)->NewLongArray(env, number_count);
    jobjectArray  all = (*env)->NewObjectArray(env, 4, object_class, NULL);

    if (list == NULL || all == NULL)
        return NULL;
    (*env)->SetLongArrayRegion(env, list, 0, number_count, numbers);
    jobject parts[] = {text_of(env, about->kind), text_of(env, about->hash), list,
                       reals_of(env, reals, real_count)};
    for (jsize i = 0; i < 4; i++)
        (*env)->SetObjectArrayElement(env, all, i, parts[i]);
    return all;
}

CALL(jobjectArray, describe)(JNIEnv *env, jclass type, jlong sketch)
{
    ink_description about;

    (void)type;
    ink_sketch_describe(object(sketch), &about);
    return description_of(env, &about);
}

CALL(jobjectArray, plan)
(JNIEnv *env, jclass type, jstring kind, jlongArray numbers, jdoubleArray reals, jstring hash,
 jbyteArray secret)
{
    parameters      with;
    ink_description about;
    ink_error       error;

    (void)type;
    if (!read_parameters(env, &with, kind, numbers, reals, hash, secret))
        return NULL;
    ink_status status = ink_plan(&with.params, &about, &error);
    release_parameters(env, &with, kind, hash);
    return failed(env, status, &error) ? NULL : description_of(env, &about);
}

CALL(jbyteArray, json)(JNIEnv *env, jclass type, jlong sketch)
{
    char             text[2 * INK_INFO_BYTES];
    size_t           bytes = 0;
    ink_error        error;
    ink_info_options options = {.digest = true};

    (void)type;
    if (failed(env,
               ink_sketch_info_json(object(sketch), &options, text, sizeof(text), &bytes, &error),
               &error))
        return NULL;
    return inkling_jni_bytes(env, text, bytes);
}

/* ---- Bytes -------------------------------------------------------------------------------- */

CALL(jbyteArray, encode)(JNIEnv *env, jclass type, jlong sketch)
{
    ink_error error;
    uint8_t  *data = NULL;
    size_t    bytes = 0;

    (void)type;
    if (failed(env, ink_sketch_encode(object(sketch), &data, &bytes, &error), &error))
        return NULL;
    jbyteArray array = inkling_jni_bytes(env, data, bytes);
    ink_bytes_free(data, bytes, NULL);
    return array;
}

CALL(jlong, decode)(JNIEnv *env, jclass type, jbyteArray data, jint from, jint bytes)
{
    ink_error   error;
    ink_sketch *sketch = NULL;
    pinned      held = {.env = env};

    (void)type;
    const void *start = pin(&held, data, 1, from, JNI_ABORT);
    if (held.failed)
        error = (ink_error){.status = INK_MEMORY, .message = "no memory to hand an array over"};
    ink_status status =
        held.failed ? INK_MEMORY : ink_sketch_decode(&sketch, start, (size_t)bytes, NULL, &error);
    unpin(&held);
    return made(env, status, &sketch, &error);
}

CALL(jlong, decodeBuffer)(JNIEnv *env, jclass type, jobject data, jint from, jint bytes)
{
    ink_error      error;
    ink_sketch    *sketch = NULL;
    const uint8_t *start = (*env)->GetDirectBufferAddress(env, data);

    (void)type;
    start = start == NULL ? (const uint8_t *)"" : start + from;
    return made(env, ink_sketch_decode(&sketch, start, (size_t)bytes, NULL, &error), &sketch,
                &error);
}

CALL(jbyteArray, digest)(JNIEnv *env, jclass type, jlong sketch)
{
    ink_error error;
    uint8_t   digest[INK_DIGEST_BYTES];

    (void)type;
    if (failed(env, ink_sketch_digest(object(sketch), digest, &error), &error))
        return NULL;
    return inkling_jni_bytes(env, digest, sizeof(digest));
}

CALL(void, save)(JNIEnv *env, jclass type, jlong sketch, jbyteArray path)
{
    ink_error error;
    char     *name = copied(env, path, NULL);

    (void)type;
    if (name == NULL)
        return;
    failed(env, ink_sketch_save(object(sketch), name, &error), &error);
    free(name);
}

CALL(jlong, load)(JNIEnv *env, jclass type, jbyteArray path)
{
    ink_error   error;
    ink_sketch *sketch = NULL;
    char       *name = copied(env, path, NULL);

    (void)type;
    if (name == NULL)
        return 0;
    jlong handle = made(env, ink_sketch_load(&sketch, name, NULL, &error), &sketch, &error);
    free(name);
    return handle;
}

/* ---- Files of many sketches --------------------------------------------------------------- */

CALL(jlong, fileOpen)(JNIEnv *env, jclass type, jbyteArray path, jint flags)
{
    ink_error error;
    ink_file *file = NULL;
    char     *name = copied(env, path, NULL);

    (void)type;
    if (name == NULL)
        return 0;
    jlong handle =
        made(env, ink_file_open(&file, name, (unsigned)flags, NULL, &error), &file, &error);
    free(name);
    return handle;
}

CALL(jlong, fileDecode)(JNIEnv *env, jclass type, jbyteArray data)
{
    ink_error error;
    ink_file *file = NULL;
    size_t    bytes = 0;
    char     *copy = copied(env, data, &bytes);

    (void)type;
    if (copy == NULL)
        return 0;
    jlong handle =
        made(env, ink_file_decode(&file, copy, bytes, INK_OPEN_COPY, NULL, &error), &file, &error);
    free(copy);
    return handle;
}

CALL(void, fileClose)(JNIEnv *env, jclass type, jlong file)
{
    (void)env, (void)type;
    ink_file_close(object(file));
}

CALL(jlong, fileCount)(JNIEnv *env, jclass type, jlong file)
{
    (void)env, (void)type;
    return (jlong)ink_file_count(object(file));
}

CALL(void, fileCheck)(JNIEnv *env, jclass type, jlong file)
{
    ink_error error;

    (void)type;
    failed(env, ink_file_check(object(file), &error), &error);
}

/* {kind, group or null}; numbers: kind of group, whether there is a slot, slot, records, bytes. */
CALL(jobjectArray, fileEntry)(JNIEnv *env, jclass type, jlong file, jlong index, jlongArray numbers)
{
    ink_error      error;
    ink_entry_info entry;

    (void)type;
    if (failed(env, ink_file_entry(object(file), (size_t)index, &entry, &error), &error))
        return NULL;
    const jlong  found[] = {entry.label.group_kind, entry.label.has_slot, entry.label.slot,
                            (jlong)entry.records, (jlong)entry.bytes};
    jobjectArray all = (*env)->NewObjectArray(env, 2, object_class, NULL);
    if (all == NULL)
        return NULL;
    (*env)->SetLongArrayRegion(env, numbers, 0, sizeof(found) / sizeof(found[0]), found);
    (*env)->SetObjectArrayElement(env, all, 0, text_of(env, entry.kind));
    if (entry.label.group_kind == INK_GROUP_BYTES)
        (*env)->SetObjectArrayElement(
            env, all, 1, inkling_jni_bytes(env, entry.label.group, entry.label.group_bytes));
    return all;
}

/* A label as Java has it; its bytes are a copy, which the caller frees. */
static bool read_label(JNIEnv *env, ink_label *to, jint group_kind, jbyteArray group,
                       jboolean has_slot, jlong slot)
{
    *to = (ink_label){.group_kind = (ink_group_kind)group_kind, .has_slot = has_slot, .slot = slot};
    if (group != NULL)
        to->group = copied(env, group, &to->group_bytes);
    return group == NULL || to->group != NULL;
}

static void release_label(ink_label *label)
{
    free((void *)(uintptr_t)label->group);
}

/* The kind and the label of a question to a file, while it lasts. */
typedef struct wanted {
    JNIEnv     *env;
    jstring     text;
    const char *kind;
    ink_label   label;
} wanted;

static bool want(JNIEnv *env, wanted *to, jstring kind, jint group_kind, jbyteArray group,
                 jboolean has_slot, jlong slot)
{
    *to = (wanted){.env = env, .text = kind};
    if (kind != NULL && (to->kind = (*env)->GetStringUTFChars(env, kind, NULL)) == NULL)
        return false;
    return read_label(env, &to->label, group_kind, group, has_slot, slot);
}

static void done_with(wanted *of)
{
    release_label(&of->label);
    if (of->kind != NULL)
        (*of->env)->ReleaseStringUTFChars(of->env, of->text, of->kind);
}

CALL(jlong, fileFind)
(JNIEnv *env, jclass type, jlong file, jstring kind, jint group_kind, jbyteArray group,
 jboolean has_slot, jlong slot)
{
    wanted    what;
    ink_error error;
    size_t    index = 0;

    (void)type;
    if (want(env, &what, kind, group_kind, group, has_slot, slot))
        failed(env, ink_file_find(object(file), what.kind, &what.label, &index, &error), &error);
    done_with(&what);
    return (jlong)index;
}

CALL(jlong, fileSketch)(JNIEnv *env, jclass type, jlong file, jlong index)
{
    ink_error   error;
    ink_sketch *sketch = NULL;

    (void)type;
    return made(env, ink_file_sketch(object(file), (size_t)index, &sketch, &error), &sketch,
                &error);
}

CALL(jbyteArray, fileDigest)(JNIEnv *env, jclass type, jlong file)
{
    ink_error error;
    uint8_t   digest[INK_DIGEST_BYTES];

    (void)type;
    if (failed(env, ink_file_digest(object(file), digest, &error), &error))
        return NULL;
    return inkling_jni_bytes(env, digest, sizeof(digest));
}

CALL(jlong, fileBetween)
(JNIEnv *env, jclass type, jlong file, jstring kind, jint group_kind, jbyteArray group, jlong last,
 jlong from, jlong until)
{
    wanted      what;
    ink_error   error;
    ink_sketch *sketch = NULL;
    jlong       handle = 0;

    (void)type;
    if (want(env, &what, kind, group_kind, group, JNI_FALSE, 0)) {
        ink_status status = last >= 0 ? ink_file_last(object(file), what.kind, &what.label,
                                                      (size_t)last, &sketch, &error)
                                      : ink_file_between(object(file), what.kind, &what.label, from,
                                                         until, &sketch, &error);
        handle = made(env, status, &sketch, &error);
    }
    done_with(&what);
    return handle;
}

/* Labels of entries: of each the kind of its group, whether it has a slot, and its slot. */
static bool read_entries(JNIEnv *env, ink_entry *to, jlongArray sketches, jlongArray labels,
                         jobjectArray groups, jsize count)
{
    bool whole = true;

    for (jsize i = 0; whole && i < count; i++) {
        jlong      sketch = 0, label[3];
        jbyteArray group = (*env)->GetObjectArrayElement(env, groups, i);
        (*env)->GetLongArrayRegion(env, sketches, i, 1, &sketch);
        (*env)->GetLongArrayRegion(env, labels, 3 * i, 3, label);
        whole = !(*env)->ExceptionCheck(env) &&
                read_label(env, &to[i].label, (jint)label[0], group, label[1] != 0, label[2]);
        to[i].sketch = object(sketch);
        (*env)->DeleteLocalRef(env, group);
    }
    return whole;
}

CALL(jbyteArray, contents)
(JNIEnv *env, jclass type, jlongArray sketches, jlongArray labels, jobjectArray groups,
 jbyteArray path)
{
    ink_error  error;
    jsize      count = (*env)->GetArrayLength(env, sketches);
    ink_entry *entries = calloc((size_t)count + 1, sizeof(*entries));
    char      *name = path == NULL ? NULL : copied(env, path, NULL);
    jbyteArray encoded = NULL;

    (void)type;
    if (entries == NULL)
        fail(env, &(ink_error){.status = INK_MEMORY, .message = "no memory for the entries"});
    else if ((path == NULL || name != NULL) &&
             read_entries(env, entries, sketches, labels, groups, count)) {
        ink_contents contents = {.entries = entries, .entry_count = (size_t)count};
        uint8_t     *data = NULL;
        size_t       bytes = 0;
        ink_status   status = name != NULL ? ink_contents_save(name, &contents, &error)
                                           : ink_contents_encode(&contents, &data, &bytes, &error);
        if (!failed(env, status, &error) && name == NULL)
            encoded = inkling_jni_bytes(env, data, bytes);
        ink_bytes_free(data, bytes, NULL);
    }
    for (jsize i = 0; entries != NULL && i < count; i++)
        release_label(&entries[i].label);
    free(entries);
    free(name);
    return encoded;
}

/* ---- Drafts ------------------------------------------------------------------------------- */

CALL(jlong, draftCreate)
(JNIEnv *env, jclass type, jstring kind, jlongArray numbers, jdoubleArray reals, jstring hash,
 jbyteArray secret, jlong limit)
{
    parameters with;
    ink_draft *draft = NULL;
    ink_error  error;

    (void)type;
    if (!read_parameters(env, &with, kind, numbers, reals, hash, secret))
        return 0;
    ink_status status = ink_draft_create(&draft, &with.params, (uint64_t)limit, NULL, &error);
    release_parameters(env, &with, kind, hash);
    return made(env, status, &draft, &error);
}

CALL(void, draftFree)(JNIEnv *env, jclass type, jlong draft)
{
    (void)env, (void)type;
    ink_draft_free(object(draft));
}

CALL(jlong, draftKeys)(JNIEnv *env, jclass type, jlong draft)
{
    (void)env, (void)type;
    return (jlong)ink_draft_keys(object(draft));
}

CALL(jlong, draftMemory)(JNIEnv *env, jclass type, jlong draft)
{
    (void)env, (void)type;
    return (jlong)ink_draft_memory(object(draft));
}

CALL(void, draftMerge)(JNIEnv *env, jclass type, jlong into, jlong from)
{
    ink_error error;

    (void)type;
    failed(env, ink_draft_merge(object(into), object(from), &error), &error);
}

CALL(jlong, draftFinish)(JNIEnv *env, jclass type, jlong draft, jdouble headroom)
{
    ink_error   error;
    ink_sketch *sketch = NULL;

    (void)type;
    return made(env, ink_draft_finish(&sketch, object(draft), headroom, &error), &sketch, &error);
}

CALL(jbyteArray, draftEncode)(JNIEnv *env, jclass type, jlong draft)
{
    ink_error  error;
    size_t     bytes = 0;
    jbyteArray array = NULL;

    (void)type;
    if (failed(env, ink_draft_encoded_bytes(object(draft), &bytes, &error), &error))
        return NULL;
    uint8_t *data = malloc(bytes + 1);
    if (data == NULL)
        fail(env, &(ink_error){.status = INK_MEMORY, .message = "no memory for the bytes"});
    else if (!failed(env, ink_draft_encode_to(object(draft), data, bytes, &bytes, &error), &error))
        array = inkling_jni_bytes(env, data, bytes);
    free(data);
    return array;
}

CALL(jlong, draftDecode)(JNIEnv *env, jclass type, jbyteArray data, jlong limit)
{
    ink_error  error;
    ink_draft *draft = NULL;
    size_t     bytes = 0;
    char      *copy = copied(env, data, &bytes);

    (void)type;
    if (copy == NULL)
        return 0;
    jlong handle = made(env, ink_draft_decode(&draft, copy, bytes, (uint64_t)limit, NULL, &error),
                        &draft, &error);
    free(copy);
    return handle;
}
