// AssemblyScript. Memory of what is being built: regions one behind the other, and pieces, which are
// given out again once nobody needs them.

/** Largest piece; regions that are given back are cut into pieces of this length. */
export const PIECE_BYTES: usize = 1 << 16;
const PIECE_BYTES_MIN: usize = 1 << 10;
const PAGE_BITS: usize = 16;
/** Addresses stay below, so that sums of a few of them and lengths don't wrap. */
const TOP_MAX: u64 = 0xfff0_0000;

const GROWTH_MAX: u64 = 16 << 20;

/** Behind the last region. */
let top: usize = __heap_base;
/** Largest pieces that are free, linked by their first word. */
let freePieces: usize = 0;

/** Start of a piece, which then holds data up to `end`; a list of pieces grows at its last. */
@unmanaged
export class Piece {
  next: usize;
  end: usize;
  limit: usize;
  reserved: usize;
}

const PIECE_HEADER: usize = offsetof<Piece>();

/** Forgets everything. */
export function clearHeap(): void {
  top = __heap_base;
  freePieces = 0;
}

export function heapTop(): usize {
  return top;
}

/** Gives back all regions from an earlier `heapTop` on. */
export function releaseTo(address: usize): void {
  top = address;
}

/** A region at a multiple of 16; its content is undefined. Traps if there is no memory. */
export function allocate(bytes: usize): usize {
  const start = (top + 15) & ~15;
  const end = <u64>start + <u64>bytes;
  if (end > TOP_MAX) unreachable();
  const size = <u64>memory.size() << PAGE_BITS;
  if (end > size) {
    // By half: every growth makes buffers that the garbage collector counts, whatever of them is used.
    const missing = max(end - size, min(size >> 1, GROWTH_MAX));
    const pages = <i32>((missing + 0xffff) >>> PAGE_BITS);
    if (memory.grow(pages) < 0 && memory.grow(<i32>((end - size + 0xffff) >>> PAGE_BITS)) < 0) unreachable();
  }
  top = <usize>end;
  return start;
}

/** Gives back a region that isn't the last. */
export function recycle(start: usize, bytes: usize): void {
  for (; bytes >= PIECE_BYTES; start += PIECE_BYTES, bytes -= PIECE_BYTES) {
    store<usize>(start, freePieces);
    freePieces = start;
  }
}

/**
 * An empty piece behind another one, or the first of a list if that is null: twice as long, up to the
 * most, but with room for so many bytes.
 */
export function pieceAfter(last: Piece | null, room: usize): Piece {
  const before: usize = last == null ? 0 : last.limit - changetype<usize>(last);
  const bytes = max(room + PIECE_HEADER, min(max(before << 1, PIECE_BYTES_MIN), PIECE_BYTES));
  let address = freePieces;
  if (bytes == PIECE_BYTES && address != 0) freePieces = load<usize>(address);
  else address = allocate(bytes);
  const piece = changetype<Piece>(address);
  piece.next = 0;
  piece.end = address + PIECE_HEADER;
  piece.limit = address + bytes;
  if (last != null) last.next = address;
  return piece;
}

export function pieceData(piece: Piece): usize {
  return changetype<usize>(piece) + PIECE_HEADER;
}
