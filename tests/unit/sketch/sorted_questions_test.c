/* sorted_questions_test.c - questions that are sorted have the answers of questions as they come,
 * for hashes and keys, windows of any number, and without memory. */
#include "sketch/batch.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/sketches.h"

static ink_error error;

enum { KEYS = 200000, WINDOW = 1 << 21 };

static ink_sketch *make_fuse(const ink_batch *batch, const ink_allocator *allocator)
{
    const ink_params params = {.kind = "fuse", .key_type = INK_KEY_INT};
    ink_draft       *draft;
    ink_sketch      *sketch;

    CHECK_OK(ink_draft_create(&draft, &params, 0, allocator, &error));
    CHECK_OK(ink_draft_add_batch(draft, batch, &error));
    CHECK_OK(ink_draft_finish(&sketch, draft, 0, &error));
    ink_draft_free(draft);
    return sketch;
}

static int64_t *numbers(size_t count)
{
    int64_t *made = malloc(count * sizeof *made);

    CHECK(made != NULL);
    for (size_t i = 0; i < count; i++)
        made[i] = (int64_t)i;
    return made;
}

TEST(sorted_questions_have_the_answers_of_others)
{
    static const size_t counts[] = {1, 511, 513, 1500, WINDOW - 512, WINDOW + 3};
    int64_t            *ints = numbers(WINDOW + 3);
    uint64_t           *hashes = malloc((WINDOW + 3) * sizeof *hashes);
    uint8_t            *plain = malloc(WINDOW + 3), *sorted = malloc(WINDOW + 3);
    const ink_batch     members = {.count = KEYS, .ints = ints};
    owned_sketch       *sketch = make_fuse(&members, NULL);

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (int hashed = 0; hashed < 2; hashed++) {
            ink_batch asked = {.count = counts[i], .ints = ints};
            CHECK_OK(ink_sketch_hash_batch(sketch, &asked, hashes, &error));
            if (hashed)
                asked = (ink_batch){.count = counts[i], .hashes = hashes};
            CHECK(!ink__sorted_questions_pay(sketch, &asked)); /* it fits the caches */
            CHECK_OK(ink_sketch_contains_batch(sketch, &asked, plain, &error));
            memset(sorted, 7, counts[i]);
            CHECK_OK(ink__sorted_questions(sketch, &asked, sorted));
            CHECK(memcmp(plain, sorted, counts[i]) == 0);
        }
    free(ints);
    free(hashes);
    free(plain);
    free(sorted);
}

TEST(without_memory_nothing_is_answered)
{
    faults_memory       memory = {0};
    const ink_allocator allocator = faults_allocator(&memory);
    int64_t            *ints = numbers(1000);
    const ink_batch     keys = {.count = 1000, .ints = ints};
    ink_sketch         *sketch = make_fuse(&keys, &allocator);
    uint8_t             answers[1000] = {0};

    memory.refuse_at = memory.asked + 1;
    CHECK(ink__sorted_questions(sketch, &keys, answers) == INK_MEMORY);
    CHECK(answers[0] == 0);
    ink_sketch_free(sketch);
    free(ints);
}

RUN_TESTS()
