/** Properties: pieces are zero, apart from each other, and empty once they have been released, after which others can be taken. */
import { expect, test } from "vitest";
import { MAPPED_BYTES, MappedPieces } from "./mapped-pieces.js";

const PIECE = 1 << 20;

test("pieces share nothing, whatever number there is, and are empty after the release", () => {
  const pieces = new MappedPieces();
  const count = 2 * Math.floor(MAPPED_BYTES / PIECE) + 1;
  const taken = Array.from({ length: count }, () => pieces.take(PIECE));
  for (const [i, piece] of taken.entries()) {
    expect([piece.length, piece[0], piece[PIECE - 1]]).toEqual([PIECE, 0, 0]);
    piece[0] = i + 1;
    piece[PIECE - 1] = i + 1;
  }
  for (const [i, piece] of taken.entries()) expect([piece[0], piece[PIECE - 1]]).toEqual([i + 1, i + 1]);
  pieces.release();
  expect(taken.every((piece) => piece.length === 0)).toBe(true);
  expect(pieces.take(3)).toEqual(new Uint8Array(3));
  pieces.release();
});
