/* uses_messages.c - files of sketches as peers send them to each other, and what the receiver does
 * with one: filter its own records by it, or ask it. */
#include "experiments/uses_parts.h"

message message_of(lab *bench, const lab_data *lines, const ink_reading *reading,
                   const ink_params *params)
{
    ink_set *set = lab_build_set(bench, lines, reading, params);
    message  made = {0};

    if (set == NULL)
        return made;
    if (!lab_ok(bench, ink_set_encode(set, &made.bytes, &made.count, &bench->error)))
        made = (message){0};
    ink_set_free(set);
    return made;
}

lab_data message_filter(lab *bench, const message *from, const lab_data *lines, bool invert)
{
    const ink_input          input = lab_input(lines);
    const ink_filter_options options = {.invert = invert};
    ink_filter_report        report;
    ink_job                  job = {.threads = bench->threads};
    lab_data                 passed = {0};
    ink_sink                 sink = lab_sink(&passed);
    ink_file                *file;

    if (bench->status != INK_OK ||
        !lab_ok(bench, ink_file_decode(&file, from->bytes, from->count, INK_OPEN_CHECKED, NULL,
                                       &bench->error)))
        return passed;
    lab_ok(bench, ink_filter(file, &input, 1, &(ink_reading){0}, &options, &sink, &report, &job,
                             &bench->error));
    ink_file_close(file);
    return passed;
}

void message_free(message *m)
{
    ink_bytes_free(m->bytes, m->count, NULL);
    *m = (message){0};
}

ink_answer count_of(lab *bench, const ink_sketch *sketch, text_line key)
{
    ink_answer answer = {0};

    if (bench->status == INK_OK)
        lab_ok(bench, ink_sketch_count(sketch, key.text, key.bytes, &answer, &bench->error));
    return answer;
}

double together(lab *bench, const ink_sketch *one, const ink_sketch *other)
{
    ink_sketch *both = NULL;
    ink_answer  answer = {0};

    if (bench->status != INK_OK || !lab_ok(bench, ink_sketch_copy(&both, one, NULL, &bench->error)))
        return 0;
    if (lab_ok(bench, ink_sketch_merge(both, other, NULL, &bench->error)))
        lab_ok(bench, ink_sketch_distinct(both, 0, &answer, &bench->error));
    ink_sketch_free(both);
    return answer.estimate;
}
