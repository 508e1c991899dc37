import { closeSync, openSync, readSync } from "node:fs";
import type { PeerRow } from "../peer-query.js";

/** As much as Tantivy's runner reads at a time; a longer line gets a longer buffer. */
const BUFFER_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** The input's rows, read into one buffer: what is measured is building, not streams of lines. */
export function* rowsOfFile(file: string): Generator<PeerRow, void, undefined> {
  const descriptor = openSync(file, "r");
  try {
    let buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    let used = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, used, buffer.length - used, null);
      used += read;
      let start = 0;
      for (;;) {
        const end = buffer.indexOf(NEWLINE, start);
        if (end < 0 || end >= used) break;
        yield JSON.parse(buffer.toString("utf8", start, end)) as PeerRow;
        start = end + 1;
      }
      if (read === 0) {
        if (start < used) yield JSON.parse(buffer.toString("utf8", start, used)) as PeerRow;
        return;
      }
      if (start === 0 && used === buffer.length) buffer = Buffer.concat([buffer], 2 * used);
      else buffer.copyWithin(0, start, used);
      used -= start;
    }
  } finally {
    closeSync(descriptor);
  }
}
