// AssemblyScript. Buffers that posting lists and the dictionary are written to, and TypeScript empties between two calls.

/** Where a field's lists are written to; TypeScript fills in the first part and reads the second. */
@unmanaged
export class Output {
  data: usize;
  positions: usize;
  lastDocs: usize;
  dataOffsets: usize;
  positionOffsets: usize;
  positionGroups: usize;
  docBits: usize;
  freqBits: usize;
  bounds: usize;
  impacts: usize;
  termBytes: usize;
  termEnds: usize;
  docFreqs: usize;
  references: usize;
  positionReferences: usize;
  /** Bytes of data, positions and terms, blocks and terms that a call writes before it pauses, or one more. */
  dataMax: u32;
  positionsMax: u32;
  termBytesMax: u32;
  termsMax: u32;
  norms: usize;
  widths: usize;
  /** K by norm code, f64. */
  factors: usize;
  /** A term in more documents is dense. */
  sparseMax: u32;
  /** Cleared bits for the documents of one term. */
  bits: usize;
  bitsBytes: u32;

  // Since the buffers were emptied:
  dataCount: u32;
  positionCount: u32;
  blockCount: u32;
  termCount: u32;
  termByteCount: u32;
  // Before that:
  dataBefore: u32;
  positionsBefore: u32;
  termBytesBefore: u32;
  blocksBefore: u32;
}

/** What is in the buffers has been taken. */
export function emptied(output: Output): void {
  output.dataBefore += output.dataCount;
  output.positionsBefore += output.positionCount;
  output.termBytesBefore += output.termByteCount;
  output.blocksBefore += output.blockCount;
  empty(output);
}

export function empty(output: Output): void {
  output.dataCount = 0;
  output.positionCount = 0;
  output.blockCount = 0;
  output.termCount = 0;
  output.termByteCount = 0;
}

/** Writes a number of 7 bits a byte; returns where it ends. */
export function putVarint(at: usize, value: u32): usize {
  while (value > 0x7f) {
    store<u8>(at++, (value & 0x7f) | 0x80);
    value >>>= 7;
  }
  store<u8>(at++, value);
  return at;
}
