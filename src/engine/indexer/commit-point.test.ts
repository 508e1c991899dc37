import { describe, expect, test } from "vitest";
import { CorruptionError } from "../../errors/index.js";
import { newOwner } from "../bytes/file-owner.js";
import {
  type CommitPoint,
  commitPointGeneration,
  commitPointName,
  decodeCommitPoint,
  encodeCommitPoint,
} from "./commit-point.js";

const COMMIT: CommitPoint = {
  owner: newOwner(),
  generation: 10,
  journal: "journal-00000002",
  journalSalt: "0123456789abcdef",
  committedEntries: 0,
  nextSegment: 3,
  segments: [
    {
      name: "s00000001",
      owner: newOwner(),
      isBound: true,
      maxDoc: 5,
      deletedCount: 1,
      liveDocsFile: "s00000001.live-0000000a",
      bytes: 99,
    },
  ],
  schema: {
    fields: [{ name: "título", kind: "text", indexed: true, stored: true, multi: false }],
    analyzer: { version: 1 },
  },
};

describe("commit point", () => {
  test("comes back as it was written", () => {
    for (const commit of [COMMIT, { ...COMMIT, committedEntries: 17 }])
      expect(decodeCommitPoint("commit-0000000a", encodeCommitPoint(commit))).toEqual(commit);
  });

  // Goal: nothing but the exact bytes is ever taken for a commit point. Method: every single flip.
  test("reports any flipped bit and any cut, naming the file", () => {
    const bytes = encodeCommitPoint(COMMIT);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => decodeCommitPoint("commit-0000000a", flipped), `bit ${bit}`).toThrow(CorruptionError);
    }
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeCommitPoint("commit-0000000a", bytes.slice(0, length))).toThrow(/commit-0000000a/);
    }
  });

  test("has names that sort as generations do", () => {
    expect([255, 16, 9].map(commitPointName).sort()).toEqual([9, 16, 255].map(commitPointName));
    expect(commitPointGeneration(commitPointName(4711))).toBe(4711);
    expect(commitPointGeneration("commit-0000000a.tmp")).toBeNull();
  });
});
