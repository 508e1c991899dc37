import { CorruptionError } from "../../../errors/index.js";
import type { TermTrie } from "../segment-reader.js";
import { runWhole } from "../sliced-work.js";
import type { FieldTermsReader } from "../terms/field-terms-reader.js";
import { TRIE_LEAF } from "../terms/term-tries.js";
import type { ProblemList } from "./problem-list.js";
import { reverseTerms, spellTerms, type TermLetters } from "./term-letters.js";

/** Checks that both tries spell every term of the dictionary exactly once. */
export function checkTermTries(reader: FieldTermsReader, problems: ProblemList): void {
  const { tries, dictionary } = reader;
  const spelled = spellTerms(dictionary.bytes, dictionary.offsets);
  if (tries === null || spelled === null) {
    if (tries !== null) problems.add("there are tries for terms that tries can't hold");
    if (spelled !== null) problems.add("the tries are missing");
    return;
  }
  const { alphabet } = spelled;
  if (
    alphabet.length !== tries.alphabet.length ||
    alphabet.some((codePoint, i) => codePoint !== tries.alphabet[i])
  ) {
    problems.add("the tries' alphabet isn't that of the terms");
    return;
  }
  try {
    runWhole(tries.make());
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    problems.add(`the tries can't be made: ${error.message}`);
    return;
  }
  checkTrie("forward", tries.forward, spelled, problems);
  reverseTerms(spelled.letters, spelled.starts);
  checkTrie("backward", tries.backward, spelled, problems);
}

function checkTrie(name: string, trie: TermTrie, spelled: TermLetters, problems: ProblemList): void {
  const { letters, starts } = spelled;
  const { labels, depths, values } = trie;
  const seen = new Uint8Array(starts.length - 1);
  let seenCount = 0;
  /** By depth: the label of the last node there under the present parent, and where its subtree ends. */
  const path = new Int32Array(257).fill(-1);
  const ends = new Float64Array(257).fill(labels.length);
  /** Open inner nodes. */
  let open = 0;
  for (let node = 0; node < labels.length; node++) {
    while (open > 0 && ends[open - 1] === node) open--;
    const depth = depths[node]!;
    const label = labels[node]!;
    const value = values[node]!;
    const parentEnd = open === 0 ? labels.length : ends[open - 1]!;
    if (depth !== open || label <= path[depth]!) {
      problems.add(`${name} trie, node ${node}: label ${label} at depth ${depth} is out of place`);
      return;
    }
    path[depth] = label;
    if (value < TRIE_LEAF) {
      if (value <= node + 1 || value > parentEnd || label === 0) {
        problems.add(`${name} trie, node ${node}: its subtree can't end at ${value}`);
        return;
      }
      ends[open++] = value;
      path[open] = -1;
      continue;
    }
    const term = value - TRIE_LEAF;
    if (term >= seen.length || seen[term] === 1 || !spells(term, depth, path, letters, starts)) {
      problems.add(`${name} trie, node ${node}: isn't the leaf of term ${term}`);
      return;
    }
    seen[term] = 1;
    seenCount++;
  }
  if (seenCount !== seen.length) problems.add(`${name} trie: holds ${seenCount} of ${seen.length} terms`);
}

/** Whether a term begins with the labels on the path down to `depth`, where label 0 is its end. */
function spells(
  term: number,
  depth: number,
  path: Int32Array,
  letters: Uint16Array,
  starts: Uint32Array,
): boolean {
  const start = starts[term]!;
  const length = starts[term + 1]! - start;
  for (let i = 0; i < depth; i++) {
    if (i >= length || letters[start + i] !== path[i]) return false;
  }
  return path[depth] === (depth < length ? letters[start + depth] : 0) && depth <= length;
}
