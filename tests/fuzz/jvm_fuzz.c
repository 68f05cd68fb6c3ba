/* jvm_fuzz.c - bytes as the Java library takes them: its native calls, called as a JVM calls them,
 * by a small one that is here and checks what a JVM does not: between pinning an array and
 * releasing it nothing else is called, no region reaches outside its array, and all that was pinned
 * or copied is released. Bytes become a sketch, a file, a draft, a state or a question of SQL,
 * which is used and freed, or an exception with a text. The first byte of an input says which call
 * takes it, the second which allocation of the JVM fails.
 */
#define _DEFAULT_SOURCE 1
enum { FILE_BYTES_MAX = 1 << 13, SEED_BYTES = 512 };

#include "inkling_Native.h"
#include "inkling_spark_SqlNative.h"
#include "sql.h"

#include "fuzz/changed_files.h"

#include <stdarg.h>

enum { HEAD_BYTES = 2, THINGS_MAX = 4096, PADDING = 3, KEYS_GIVEN = 40, REFUSALS = 40 };

/* ---- Objects ------------------------------------------------------------------------------ */

/* An array, a text, a class or a buffer. */
typedef struct thing {
    size_t   count, each;
    uint8_t *data;
} thing;

static thing   *things[THINGS_MAX];
static size_t   thing_count;
static unsigned pinned_count, text_count, refuse_at;
static bool     pending; /* an exception */
static char     thrown[1024];

static JNIEnv env;

#define PLAIN REQUIRE(pinned_count == 0 && !pending)

static thing *thing_of(const void *object)
{
    return (thing *)(uintptr_t)object;
}

static bool refused(void)
{
    return refuse_at > 0 && --refuse_at == 0;
}

/* An object with bytes of its own, or NULL and an exception. */
static void *make(size_t count, size_t each, const void *from)
{
    REQUIRE(pinned_count == 0);
    pending = pending || refused();
    if (pending)
        return NULL;
    REQUIRE(thing_count < THINGS_MAX);
    thing *made = calloc(1, sizeof *made);
    *made = (thing){count, each, calloc(count + 1, each)};
    if (from != NULL)
        memcpy(made->data, from, count * each);
    things[thing_count++] = made;
    return made;
}

static void collect(void)
{
    REQUIRE(pinned_count == 0 && text_count == 0);
    while (thing_count > 0) {
        free(things[--thing_count]->data);
        free(things[thing_count]);
    }
    pending = false;
}

/* ---- The calls of JNI --------------------------------------------------------------------- */

static jclass find_class(JNIEnv *of, const char *name)
{
    PLAIN;
    return make(strlen(name), 1, name);
}
static jobject global_ref(JNIEnv *of, jobject object)
{
    return object;
}
static void delete_ref(JNIEnv *of, jobject object)
{
    REQUIRE(pinned_count == 0);
}
static jmethodID method_of(JNIEnv *of, jclass type, const char *name, const char *signature)
{
    PLAIN;
    return (jmethodID)(uintptr_t)1;
}
static jclass class_of(JNIEnv *of, jobject object)
{
    return object;
}
static jboolean has_exception(JNIEnv *of)
{
    REQUIRE(pinned_count == 0);
    return pending;
}
static jint length_of(JNIEnv *of, jarray array)
{
    PLAIN;
    return (jint)thing_of(array)->count;
}

static void region(const void *array, jsize from, jsize count, void *to, const void *data)
{
    const thing *one = thing_of(array);

    REQUIRE(pinned_count == 0);
    if (pending)
        return; /* as a JVM does */
    REQUIRE(from >= 0 && count >= 0 && (size_t)from + (size_t)count <= one->count);
    uint8_t     *at = one->data + (size_t)from * one->each;
    const size_t bytes = (size_t)count * one->each;
    if (bytes > 0)
        memcpy(to == NULL ? at : to, to == NULL ? data : at, bytes);
}

#define REGIONS(Name, array, type)                                                                 \
    static void get_##Name(JNIEnv *of, array from, jsize at, jsize count, type *to)                \
    {                                                                                              \
        REQUIRE(pending || thing_of(from)->each == sizeof(type));                                  \
        region(from, at, count, to, NULL);                                                         \
    }                                                                                              \
    static void set_##Name(JNIEnv *of, array to, jsize at, jsize count, const type *from)          \
    {                                                                                              \
        REQUIRE(pending || thing_of(to)->each == sizeof(type));                                    \
        region(to, at, count, NULL, from);                                                         \
    }                                                                                              \
    static array new_##Name(JNIEnv *of, jsize count)                                               \
    {                                                                                              \
        return make((size_t)count, sizeof(type), NULL);                                            \
    }
REGIONS(bytes, jbyteArray, jbyte)
REGIONS(ints, jintArray, jint)
REGIONS(longs, jlongArray, jlong)
REGIONS(doubles, jdoubleArray, jdouble)
REGIONS(booleans, jbooleanArray, jboolean)

static jobjectArray new_objects(JNIEnv *of, jsize count, jclass type, jobject first)
{
    return make((size_t)count, sizeof(void *), NULL);
}
static jobject get_object(JNIEnv *of, jobjectArray array, jsize at)
{
    jobject found = NULL;
    region(array, at, 1, &found, NULL);
    return found;
}
static void set_object(JNIEnv *of, jobjectArray array, jsize at, jobject object)
{
    region(array, at, 1, NULL, &object);
}
static jstring new_text(JNIEnv *of, const char *text)
{
    return make(strlen(text), 1, text);
}

static const char *get_text(JNIEnv *of, jstring text, jboolean *is_copy)
{
    PLAIN;
    if (refused()) {
        pending = true;
        return NULL;
    }
    text_count++;
    return strdup((const char *)thing_of(text)->data);
}
static void release_text(JNIEnv *of, jstring text, const char *copy)
{
    REQUIRE(text_count > 0);
    text_count--;
    free((char *)(uintptr_t)copy);
}

/* A copy of no more bytes than the array has; changes are seen when it is released. */
static void *pin(JNIEnv *of, jarray array, jboolean *is_copy)
{
    const thing *one = thing_of(array);

    REQUIRE(!pending);
    if (refused())
        return NULL;
    pinned_count++;
    uint8_t *copy = malloc(one->count * one->each);
    return one->count == 0 ? copy : memcpy(copy, one->data, one->count * one->each);
}
static void unpin(JNIEnv *of, jarray array, void *copy, jint mode)
{
    const thing *one = thing_of(array);

    REQUIRE(pinned_count > 0);
    pinned_count--;
    if (mode == 0 && one->count > 0)
        memcpy(one->data, copy, one->count * one->each);
    free(copy);
}
static void *address_of(JNIEnv *of, jobject buffer)
{
    PLAIN;
    return thing_of(buffer)->data;
}

/* InkException(status, location, at, error of the system, text). */
static jobject new_failure(JNIEnv *of, jclass type, jmethodID method, ...)
{
    va_list given;

    PLAIN;
    va_start(given, method);
    const int status = va_arg(given, int), location = va_arg(given, int);
    (void)va_arg(given, jlong);
    (void)va_arg(given, int);
    const thing *text = thing_of(va_arg(given, void *));
    va_end(given);
    REQUIRE(status > INK_OK && ink_status_name((ink_status)status) != NULL);
    REQUIRE(location >= INK_NOWHERE && text->count > 0 && text->count < sizeof thrown);
    REQUIRE(memchr(text->data, '\n', text->count) == NULL);
    memcpy(thrown, text->data, text->count + 1);
    return make(0, 1, NULL);
}
static jint throw_it(JNIEnv *of, jthrowable failure)
{
    PLAIN;
    pending = true;
    return 0;
}
static jint throw_new(JNIEnv *of, jclass type, const char *text)
{
    return throw_it(of, NULL);
}

static const struct JNINativeInterface_ interface = {
    .FindClass = find_class,
    .NewGlobalRef = global_ref,
    .DeleteGlobalRef = delete_ref,
    .DeleteLocalRef = delete_ref,
    .GetMethodID = method_of,
    .GetObjectClass = class_of,
    .ExceptionCheck = has_exception,
    .GetArrayLength = length_of,
    .GetByteArrayRegion = get_bytes,
    .SetByteArrayRegion = set_bytes,
    .NewByteArray = new_bytes,
    .GetIntArrayRegion = get_ints,
    .SetIntArrayRegion = set_ints,
    .NewIntArray = new_ints,
    .GetLongArrayRegion = get_longs,
    .SetLongArrayRegion = set_longs,
    .NewLongArray = new_longs,
    .GetDoubleArrayRegion = get_doubles,
    .SetDoubleArrayRegion = set_doubles,
    .NewDoubleArray = new_doubles,
    .GetBooleanArrayRegion = get_booleans,
    .SetBooleanArrayRegion = set_booleans,
    .NewBooleanArray = new_booleans,
    .NewObjectArray = new_objects,
    .GetObjectArrayElement = get_object,
    .SetObjectArrayElement = set_object,
    .NewStringUTF = new_text,
    .GetStringUTFChars = get_text,
    .ReleaseStringUTFChars = release_text,
    .GetPrimitiveArrayCritical = pin,
    .ReleasePrimitiveArrayCritical = unpin,
    .GetDirectBufferAddress = address_of,
    .NewObject = new_failure,
    .Throw = throw_it,
    .ThrowNew = throw_new,
};

static jint env_of(JavaVM *vm, void **to, jint version)
{
    *to = &env;
    return JNI_OK;
}

/* ---- Uses --------------------------------------------------------------------------------- */

#define INK(name) Java_inkling_Native_##name
#define SQL(name) Java_inkling_spark_SqlNative_##name

/* An exception was thrown: Java would have it by now, and goes on. */
static bool caught(void)
{
    const bool was = pending;

    REQUIRE(pinned_count == 0);
    pending = false;
    return was;
}

static jlongArray some_longs(void)
{
    jlongArray made = make(KEYS_GIVEN, sizeof(jlong), NULL);

    for (int64_t i = 0; made != NULL && i < KEYS_GIVEN; i++)
        files_set(thing_of(made)->data + 8 * i, 8, (uint64_t)(i - 3));
    return made;
}

static void use_sketch(jlong sketch)
{
    static const jint calls[] = {inkling_Native_CONTAINS, inkling_Native_COUNT, inkling_Native_ADD,
                                 inkling_Native_ADD_NEW, inkling_Native_REMOVE};
    jlongArray        keys = some_longs();
    jbooleanArray     flags = make(KEYS_GIVEN, sizeof(jboolean), NULL);
    jdoubleArray      reals = make(5 * KEYS_GIVEN, sizeof(jdouble), NULL);
    jbyteArray        key = make(2000, 1, NULL); /* one that is pinned */

    if (caught())
        return;
    INK(describe)(&env, NULL, sketch);
    caught();
    INK(json)(&env, NULL, sketch);
    caught();
    INK(distinct)(&env, NULL, sketch, 0);
    caught();
    INK(rate)(&env, NULL, sketch);
    caught();
    INK(top)(&env, NULL, sketch, 5, 0);
    caught();
    (void)INK(maybeBytes)(&env, NULL, sketch, key, 3, 1500);
    caught();
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        INK(longs)
        (&env, NULL, calls[i], sketch, keys, 1, inkling_Native_COUNTS < 20 ? 5 : 20, NULL,
         calls[i] == inkling_Native_ADD || calls[i] == inkling_Native_REMOVE ? NULL : flags,
         calls[i] == inkling_Native_COUNT ? reals : NULL, 0);
        caught();
    }
    jbyteArray bytes = INK(encode)(&env, NULL, sketch);
    if (!caught()) {
        jlong again = INK(decode)(&env, NULL, bytes, 0, (jint)thing_of(bytes)->count);
        if (!caught())
            INK(free)(&env, NULL, again);
    }
}

static void try_sketch(jbyteArray data, jint count, bool direct)
{
    jlong sketch = direct ? INK(decodeBuffer)(&env, NULL, data, PADDING, count)
                          : INK(decode)(&env, NULL, data, PADDING, count);

    REQUIRE((sketch == 0) == pending);
    if (!caught()) {
        use_sketch(sketch);
        INK(free)(&env, NULL, sketch);
    }
}

static void try_file(jbyteArray data)
{
    jlong file = INK(fileDecode)(&env, NULL, data);

    REQUIRE((file == 0) == pending);
    if (caught())
        return;
    const jlong count = INK(fileCount)(&env, NULL, file);
    jlongArray  numbers = make(5, sizeof(jlong), NULL);
    for (jlong i = 0; i < count && i < 4 && !caught(); i++) {
        INK(fileEntry)(&env, NULL, file, i, numbers);
        caught();
        jlong sketch = INK(fileSketch)(&env, NULL, file, i);
        if (caught())
            continue;
        use_sketch(sketch);
        INK(free)(&env, NULL, sketch);
    }
    caught();
    INK(fileDigest)(&env, NULL, file);
    caught();
    INK(fileClose)(&env, NULL, file);
}

static void try_draft(jbyteArray data)
{
    jlong draft = INK(draftDecode)(&env, NULL, data, 0);

    REQUIRE((draft == 0) == pending);
    if (caught())
        return;
    INK(draftEncode)(&env, NULL, draft);
    caught();
    jlong sketch = INK(draftFinish)(&env, NULL, draft, 0);
    if (!caught())
        INK(free)(&env, NULL, sketch);
    INK(draftFree)(&env, NULL, draft);
}

static void try_state(jbyteArray data, jint id)
{
    jlong state = SQL(start)(&env, NULL, id);

    if (caught())
        return;
    SQL(decode)(&env, NULL, state, data);
    if (!caught()) {
        jlongArray numbers = make(2, sizeof(jlong), NULL);
        if (!caught())
            SQL(finish)(&env, NULL, state, numbers);
        caught();
        SQL(encode)(&env, NULL, state, id % 2 * 16, id % 2 == 0 ? NULL : numbers); /* in a row */
        caught();
    }
    SQL(free)(&env, NULL, state);
}

static void try_question(jbyteArray data, jint id)
{
    jlong cache = SQL(cacheCreate)(&env, NULL);
    jlong opened = caught() ? 0 : SQL(open)(&env, NULL, cache, id, data);

    if (!caught()) {
        jbyteArray key = make(300, 1, NULL);
        (void)SQL(maybeLong)(&env, NULL, opened, 7);
        if (!caught()) {
            (void)SQL(maybeBytes)(&env, NULL, opened, key, 2, 290);
            (void)SQL(maybeBytes)(&env, NULL, opened, key, 0, 9);
        }
        caught();
        SQL(release)(&env, NULL, opened);
    }
    SQL(cacheFree)(&env, NULL, cache);
}

/* ---- Inputs ------------------------------------------------------------------------------- */

enum { AS_SKETCH, AS_BUFFER, AS_FILE, AS_DRAFT, AS_STATE, AS_QUESTION, WAYS };

static void begin_all(void)
{
    static const struct JNIInvokeInterface_ machine = {.GetEnv = env_of};
    JavaVM                                  vm = &machine;

    begin();
    env = &interface;
    REQUIRE(JNI_OnLoad(&vm, NULL) == JNI_VERSION_10);
    thing_count = 0; /* classes stay */
}

static size_t draft_bytes(uint8_t *to, size_t room)
{
    const ink_params params = {.kind = "bloom", .key_type = INK_KEY_INT};
    const int64_t    ints[] = {1, 2, 3};
    const ink_batch  keys = {.ints = ints, .count = 3};
    ink_draft       *draft;
    size_t           count;

    REQUIRE_OK(ink_draft_create(&draft, &params, 0, NULL, &error));
    REQUIRE_OK(ink_draft_add_batch(draft, &keys, &error));
    REQUIRE_OK(ink_draft_encode_to(draft, to, room, &count, &error));
    ink_draft_free(draft);
    return count;
}

/* Samples for each call; then for each call one whose allocations fail, one after the other. */
static size_t seed_input(unsigned index, uint8_t *to, size_t room)
{
    static const uint8_t head[] = {1, INK_KEY_INT, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const unsigned       way = index % WAYS;
    const unsigned       number = index / WAYS;
    const files_sample  *sample = &seeds[number < seed_count ? number : 0];
    size_t               count = HEAD_BYTES;

    if (number >= seed_count + REFUSALS)
        return SIZE_MAX;
    to[0] = (uint8_t)(way + WAYS * (number % 20));
    to[1] = (uint8_t)(number < seed_count ? 0 : 1 + number - seed_count);
    if (way == AS_DRAFT)
        return count + draft_bytes(to + count, room - count);
    if (way == AS_STATE)
        count = fuzz_put(to, room, to, head, sizeof head);
    return fuzz_insert(to, count, room, count, sample->bytes, sample->count);
}

static size_t file_at(const uint8_t *bytes, size_t count)
{
    const size_t at = HEAD_BYTES + (bytes[0] % WAYS == AS_STATE ? 12u : 0);

    return at < count ? at : count;
}

static size_t change_input(uint8_t *bytes, size_t count, size_t room)
{
    const size_t at = file_at(bytes, count), left = room - at,
                 most = left < FILE_BYTES_MAX ? left : FILE_BYTES_MAX;

    if (fuzz_draw(4) == 0) {
        bytes[fuzz_draw(HEAD_BYTES)] = (uint8_t)fuzz_draw(fuzz_draw(2) == 0 ? 16 : 256);
        return count;
    }
    if (bytes[0] % WAYS == AS_DRAFT || at == count || count - at > most)
        return at + fuzz_scramble(bytes + at, count - at, room - at);
    return at + change_file(bytes + at, count - at, most);
}

static void mend(uint8_t *bytes, size_t count)
{
    files_repair(bytes + file_at(bytes, count), count - file_at(bytes, count));
}

static void attempt(const uint8_t *bytes, size_t count)
{
    static uint8_t padded[FILE_BYTES_MAX + 64 + PADDING];
    const unsigned way = bytes[0] % WAYS, id = bytes[0] / WAYS % INKSQL_FUNCTIONS;
    const size_t   size = count - HEAD_BYTES;
    const bool     part = way == AS_SKETCH || way == AS_BUFFER;

    snprintf(tried, sizeof tried, "way %u, refusal %u, %zu bytes", way, bytes[1], size);
    memcpy(padded + PADDING, bytes + HEAD_BYTES, size);
    refuse_at = 0;
    jbyteArray data = make(size + (part ? PADDING : 0), 1, padded + (part ? 0 : PADDING));
    refuse_at = bytes[1];
    if (part)
        try_sketch(data, (jint)size, way == AS_BUFFER);
    else if (way == AS_FILE)
        try_file(data);
    else if (way == AS_DRAFT)
        try_draft(data);
    else if (way == AS_STATE)
        try_state(data, (jint)id);
    else
        try_question(data, (jint)id);
    collect();
}

const fuzz_target fuzz_here = {
    .name = "jvm",
    .most_bytes = FILE_BYTES_MAX + 64,
    .head_bytes = HEAD_BYTES,
    .rounds = 20000,
    .weight = 2,
    .begin = begin_all,
    .seed = seed_input,
    .change = change_input,
    .mend = mend,
    .attempt = attempt,
};
