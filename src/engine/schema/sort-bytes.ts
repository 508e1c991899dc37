import type { EngineField } from "./engine-schema.js";
import type { CanonicalValue } from "./document.js";
import { FindlingError } from "../../errors/index.js";

/**
 * Bytes of a typed value whose unsigned lexicographic order is the value's own order, so that one
 * column format serves every kind: `bool` 1 byte, `u64`/`i64`/`f64` 8 bytes big-endian (i64 with the
 * sign flipped, f64 by IEEE 754 total order with -0 as 0), `datetime` 12 bytes (seconds since the
 * epoch as biased u64, nanoseconds u32), `keyword` its UTF-8, `facet` its UTF-8 with every slash as
 * byte 0, so that a path's descendants follow it at once.
 *
 * @throws FindlingError `invalid_field_value` for a value that the kind cannot hold
 */
export function sortBytes(field: EngineField, value: CanonicalValue): Uint8Array {
  throw new FindlingError("internal", `not yet written: sortBytes(${field.name}, ${String(value)})`);
}
