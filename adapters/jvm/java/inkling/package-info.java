/**
 * Sketches of data too big to keep: was this key seen, how often, which are the most frequent, how many distinct ones; with
 * known bounds, in the files of the command ink.
 *
 * <p>{@link inkling.Sketch} is where to begin; {@link inkling.InkFile} has files of many sketches, {@link inkling.Draft}
 * filters that are sized by their keys. The work is done by the C library, which is inside the jar for Linux.
 */
package inkling;
