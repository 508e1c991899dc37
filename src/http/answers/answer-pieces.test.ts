// Properties: pieces are the parts' bytes, none longer than said; one is written in each turn of the event loop, after
// the one before has been taken, and none once the target has closed.
import { EventEmitter } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lengthOf, piecesOf, sendPieces } from "./answer-pieces.js";

test("pieces are the bytes of the parts, of one length but for the last", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 50 })),
      fc.integer({ min: 1, max: 20 }),
      (parts, length) => {
        const pieces = [...piecesOf(parts, length)];
        expect(Buffer.concat(pieces).equals(Buffer.concat(parts))).toBe(true);
        expect(pieces.slice(0, -1).every((piece) => piece.length === length)).toBe(true);
        expect(pieces.every((piece) => piece.length > 0 && piece.length <= length)).toBe(true);
        expect(lengthOf(pieces)).toBe(lengthOf(parts));
      },
    ),
  );
});

class Target extends EventEmitter {
  destroyed = false;
  readonly written: number[] = [];
  taken: ((error?: Error | null) => void)[] = [];

  write(piece: Uint8Array, onTaken: (error?: Error | null) => void): void {
    this.written.push(piece[0]!);
    this.taken.push(onTaken);
  }

  take(error?: Error): void {
    for (const onTaken of this.taken.splice(0)) onTaken(error);
  }

  close(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

function sending(): { readonly target: Target; readonly ends: boolean[] } {
  const target = new Target();
  const ends: boolean[] = [];
  const pieces = piecesOf([Uint8Array.of(1, 2, 3)], 1);
  sendPieces(target, pieces, (areTaken) => ends.push(areTaken));
  return { target, ends };
}

describe("sendPieces", () => {
  test("waits with each piece for the one before, and for a turn", async () => {
    const { target, ends } = sending();
    await turn();
    expect(target.written).toEqual([1]);
    for (const written of [
      [1, 2],
      [1, 2, 3],
    ]) {
      const before = [...target.written];
      target.take();
      await Promise.resolve();
      expect(target.written).toEqual(before);
      await turn();
      expect(target.written).toEqual(written);
    }
    target.take();
    await turn();
    expect(ends).toEqual([true]);
    target.close();
    expect([ends, target.listenerCount("close")]).toEqual([[true], 0]);
  });

  test("ends with a target that closes, before or after a piece was taken, or that takes nothing", async () => {
    for (const leave of [
      (target: Target) => target.close(),
      (target: Target) => {
        target.take();
        target.close();
      },
      (target: Target) => target.take(new Error("reset")),
    ]) {
      const { target, ends } = sending();
      leave(target);
      target.take();
      await turn();
      expect([target.written, ends]).toEqual([[1], [false]]);
    }
  });

  test("writes nothing to a target that has closed before", () => {
    const target = new Target();
    target.destroyed = true;
    const ends: boolean[] = [];
    sendPieces(target, piecesOf([Uint8Array.of(1)]), (areTaken) => ends.push(areTaken));
    expect([target.written, ends]).toEqual([[], [false]]);
  });
});
