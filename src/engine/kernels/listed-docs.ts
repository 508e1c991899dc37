/** How scores in a field depend on its documents' lengths. */
export interface LengthScale {
  /** K by norm code, and the average length that it was made for. */
  readonly lengthNorms: Float32Array;
  readonly averageFieldLength: number;
}

/** Documents that all score the same. */
export interface MarkedDocs {
  /** Address of their bits. */
  readonly bits: number;
  /** How many there are. */
  readonly docFreq: number;
  /** f32 above 0. */
  readonly score: number;
  readonly group: number;
}

/** Documents by their number in a column that is in kernel memory. */
export interface NumberRange {
  /** Address of the numbers by doc id, and bytes of each. */
  readonly address: number;
  readonly width: number;
  /** The documents' numbers are from `first` up to, not including, `end`. */
  readonly first: number;
  readonly end: number;
  /** How many documents these are. */
  readonly docCount: number;
}
