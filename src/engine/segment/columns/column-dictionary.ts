/** The distinct values of a column, ascending and end to end: value i is bytes `offsets[i]` to `offsets[i + 1]`. */
export interface ColumnDictionary {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}
