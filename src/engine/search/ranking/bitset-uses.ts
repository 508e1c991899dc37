/** What the bitsets of a segment's kernels are for, by number. */

/** Documents that filters, exclusions and deletes leave. */
export const ACCEPTED = 0;
/** All matches. */
export const MATCHES = 1;
/** Of no use after the call that fills it. */
export const WORKING = 2;
