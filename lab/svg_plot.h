/* svg_plot.h - lines of points as inline SVG. */
#ifndef LAB_SVG_PLOT_H
#define LAB_SVG_PLOT_H

#include "writer.h"

void plot_write(writer *to, const finding *plot);

#endif
