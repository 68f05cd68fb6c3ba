/* metrics.h - samples of a stream for programs: JSON for the page, and the text format of
 * Prometheus; docs/live.md lists both. */
#ifndef INK_CLI_STREAM_METRICS_H
#define INK_CLI_STREAM_METRICS_H

#include "report/text_buffer.h"
#include "stream/samples.h"

void metrics_json(cli_text *text, const cli_samples *samples);
void metrics_prometheus(cli_text *text, const cli_samples *samples);

#endif
