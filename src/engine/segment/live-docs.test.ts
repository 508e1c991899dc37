// Proves: live documents come back; every changed byte and every cut is noticed and named.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CorruptionError } from "../../errors/index.js";
import { emptyBitset, setBit } from "../bytes/bitset.js";
import { newOwner } from "../bytes/file-owner.js";
import { decodeLiveDocs, encodeLiveDocs, type LiveDocsOwner } from "./live-docs.js";

const OWNER = newOwner();
const of = (maxDoc: number): LiveDocsOwner => ({ maxDoc, owner: OWNER, isBound: true });

const liveLists = fc.array(fc.boolean(), { maxLength: 130 });

function bitsOf(live: readonly boolean[]): Uint32Array {
  const bits = emptyBitset(live.length);
  live.forEach((isLive, docId) => {
    if (isLive) setBit(bits, docId);
  });
  return bits;
}

describe("live docs", () => {
  test("come back as written", () => {
    fc.assert(
      fc.property(liveLists, (live) => {
        const bits = bitsOf(live);
        expect(
          decodeLiveDocs(encodeLiveDocs(bits, live.length, OWNER), "s1.live-1", of(live.length)),
        ).toEqual(bits);
      }),
    );
  });

  test("notice every changed byte, every cut and another segment's size", () => {
    const live = Array.from({ length: 70 }, (_, docId) => docId % 3 !== 0);
    const good = encodeLiveDocs(bitsOf(live), live.length, OWNER);
    for (let i = 0; i < good.length; i++) {
      for (const flip of [1, 0x80, 0xff]) {
        const bad = good.slice();
        bad[i]! ^= flip;
        expect(() => decodeLiveDocs(bad, "s1.live-1", of(70)), `byte ${i}`).toThrowError(
          /^file 's1.live-1' is damaged: /,
        );
      }
    }
    for (let length = 0; length < good.length; length++) {
      expect(() => decodeLiveDocs(good.slice(0, length), "s1.live-1", of(70))).toThrowError(CorruptionError);
    }
    expect(() => decodeLiveDocs(good, "s1.live-1", of(71))).toThrowError(CorruptionError);
  });

  test("refuse bits beyond the last document", () => {
    expect(() =>
      decodeLiveDocs(encodeLiveDocs(Uint32Array.of(0b1111), 3, OWNER), "s1.live-1", of(3)),
    ).toThrowError(CorruptionError);
  });
});
