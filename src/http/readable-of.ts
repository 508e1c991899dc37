import { Readable } from "node:stream";

/**
 * What is sent where its first piece has been waited for already: that one, and then the rest, of which no more is
 * asked for than the socket takes.
 */
export function readableOf<Piece extends string | Uint8Array>(
  first: IteratorResult<Piece, unknown>,
  rest: AsyncIterator<Piece, unknown>,
): Readable {
  return Readable.from(rejoined(first, rest), { objectMode: false, highWaterMark: 1 });
}

async function* rejoined<Piece>(
  first: IteratorResult<Piece, unknown>,
  rest: AsyncIterator<Piece, unknown>,
): AsyncGenerator<Piece, void, undefined> {
  try {
    for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}
