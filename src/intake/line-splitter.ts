import { PartialRecord, type RawRecord, type RecordSplitter } from "./raw-record.js";

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** NDJSON: one record a line, blank lines left out. */
export class LineSplitter implements RecordSplitter {
  readonly #partial = new PartialRecord();
  #line = 1;

  push(chunk: Uint8Array): readonly RawRecord[] {
    const records: RawRecord[] = [];
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, start);
      if (newline < 0) break;
      this.#complete(chunk.subarray(start, newline), records);
      this.#line++;
      start = newline + 1;
    }
    this.#partial.add(chunk.subarray(start));
    return records;
  }

  end(): readonly RawRecord[] {
    const records: RawRecord[] = [];
    this.#complete(new Uint8Array(0), records);
    return records;
  }

  #complete(piece: Uint8Array, records: RawRecord[]): void {
    const record = this.#partial.complete(piece, this.#line);
    const bytes = record.bytes.at(-1) === CARRIAGE_RETURN ? record.bytes.subarray(0, -1) : record.bytes;
    if (record.problem !== undefined || !isBlank(bytes)) records.push({ ...record, bytes });
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === CARRIAGE_RETURN);
}
