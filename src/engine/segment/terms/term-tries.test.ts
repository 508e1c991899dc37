/**
 * Walking a trie spells every term once, in order, with its ordinal; subtrees end where the node says;
 * nothing is deeper than it must be to tell two terms apart; what tries can't hold has none.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reopenSections } from "../../../../tests/kit/reopen-sections.js";
import type { TermTrie } from "../segment-reader.js";
import { runWhole } from "../sliced-work.js";
import { openTermTries, writeTermTries } from "./term-tries.js";

const encoder = new TextEncoder();

/** Distinct terms as code points, in order of UTF-8 bytes. */
function sorted(terms: readonly string[]): number[][] {
  return [...new Set(terms)]
    .sort((a, b) => Buffer.compare(encoder.encode(a), encoder.encode(b)))
    .map((term) => Array.from(term, (character) => character.codePointAt(0)!));
}

function triesOf(terms: readonly number[][]) {
  const encoded = terms.map((term) => encoder.encode(String.fromCodePoint(...term)));
  const offsets = new Uint32Array(encoded.length + 1);
  encoded.forEach((bytes, i) => {
    offsets[i + 1] = offsets[i]! + bytes.length;
  });
  const bytes = Uint8Array.from(Buffer.concat(encoded));
  const source = reopenSections((sink) => {
    sink.add("f0.terms.bytes", bytes);
    sink.add("f0.terms.offsets", offsets);
    return writeTermTries(sink, "f0.", bytes, offsets);
  });
  const tries = openTermTries(source, "f0.", "memory.idx");
  if (tries !== null) runWhole(tries.make());
  return tries;
}

/** The trie of interface `TermTrie` built by recursion over groups of terms: [label, depth, value] per node. */
function naiveTrie(
  terms: readonly { code: readonly number[]; ordinal: number }[],
  alphabet: readonly number[],
) {
  const nodes: [number, number, number][] = [];
  const addGroup = (group: typeof terms, depth: number): void => {
    const labels = [...new Set(group.map(({ code }) => (depth === code.length ? -1 : code[depth]!)))];
    for (const label of labels.sort((a, b) => a - b)) {
      const children = group.filter(({ code }) => (depth === code.length ? -1 : code[depth]!) === label);
      const node: [number, number, number] = [
        alphabet.indexOf(label) + 1,
        depth,
        0x8000_0000 + children[0]!.ordinal,
      ];
      nodes.push(node);
      if (children.length === 1) continue;
      addGroup(children, depth + 1);
      node[2] = nodes.length;
    }
  };
  addGroup(terms, 0);
  return nodes;
}

const nodesOf = (trie: TermTrie) =>
  Array.from(trie.labels, (label, node) => [label, trie.depths[node]!, trie.values[node]!]);

const terms = fc
  .array(
    fc.string({
      unit: fc.constantFrom("a", "b", "é", "漢", "\uffee", "\u{1f600}"),
      minLength: 1,
      maxLength: 8,
    }),
    {
      minLength: 1,
      maxLength: 80,
    },
  )
  .map(sorted);

describe("tries", () => {
  it("hold every term forward and backward", () => {
    fc.assert(
      fc.property(terms, (codes) => {
        const tries = triesOf(codes)!;
        const alphabet = [...new Set(codes.flat())].sort((a, b) => a - b);
        expect([...tries.alphabet]).toEqual(alphabet);
        const forward = codes.map((code, ordinal) => ({ code, ordinal }));
        const backward = codes.map((code, ordinal) => ({ code: code.toReversed(), ordinal }));
        expect(nodesOf(tries.forward)).toEqual(naiveTrie(forward, alphabet));
        expect(nodesOf(tries.backward)).toEqual(naiveTrie(backward, alphabet));
      }),
      { numRuns: 200 },
    );
  });

  it("hold terms of 255 code points, and aren't made for longer ones", () => {
    const longest = new Array<number>(255).fill(0x61);
    expect(nodesOf(triesOf([longest.slice(1), longest])!.forward).at(-1)).toEqual([1, 254, 0x8000_0001]);
    expect(triesOf([longest, [...longest, 0x61]])).toBeNull();
  });

  it("aren't made for alphabets past 65,534 code points", () => {
    const codePoints = Array.from({ length: 65_535 }, (_, i) => [0x1_0000 + i]);
    expect(triesOf(codePoints.slice(1))?.alphabet.length).toBe(65_534);
    expect(triesOf(codePoints)).toBeNull();
  });
});
