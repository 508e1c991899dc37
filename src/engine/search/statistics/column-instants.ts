import type { OrdinalColumn } from "../../segment/segment-reader.js";

/** Instants of a datetime column's values by ordinal, in seconds since the epoch. */
export function instantsOf(column: OrdinalColumn): Float64Array {
  const seconds = new Float64Array(column.valueCount);
  for (let ordinal = 0; ordinal < seconds.length; ordinal++) {
    const bytes = column.valueBytes(ordinal);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const whole = (view.getUint32(0) ^ 0x8000_0000) * 0x1_0000_0000 + view.getUint32(4);
    seconds[ordinal] = whole + view.getUint32(8) / 1e9;
  }
  return seconds;
}
