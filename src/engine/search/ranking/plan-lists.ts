import type { NumberRange, WordList } from "../../kernels/listed-docs.js";
import type { PostingPlace } from "../../kernels/posting-image.js";
import type { ScoredDocs } from "../../kernels/scored-docs.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SegmentContext } from "../weights/matcher.js";
import { markAccepted } from "./accepted-documents.js";
import type { RankingLeaf, RankingMarks, RankingPlan, RankingTerm, RankingWord } from "./ranking-plan.js";

/** Scores below could be rounded to 0, which kernels take for no match. */
export const WEIGHT_MIN = 1e-20;

/** "impossible": there is no room, or a score too small; "nothing": no document can match. */
export type AddedLists = "ready" | "impossible" | "nothing";

/**
 * "all" that a plan has, or those of words' "nearest" variants, or, of a plan without words, all for a search of "few"
 * documents (`SegmentKernels.topFew`).
 */
export type WantedLists = "all" | "nearest" | "few";

/** A search's lists as they are laid out, one leaf after the other. */
interface Layout {
  readonly kernels: SegmentKernels;
  readonly context: SegmentContext;
  readonly wanted: WantedLists;
  readonly nodes: readonly (ScoredDocs | null)[];
  nextNode: number;
  words: number;
  bitsets: number;
}

/**
 * Lays out a plan's lists for a search.
 *
 * @param nodes what its nodes match, by order; null: nothing
 */
export function addLists(
  kernels: SegmentKernels,
  plan: RankingPlan,
  context: SegmentContext,
  nodes: readonly (ScoredDocs | null)[],
  wanted: WantedLists,
): AddedLists {
  const { groups } = plan;
  const { lists } = kernels;
  lists.begin();
  const layout = { kernels, context, wanted, nodes, nextNode: 0, words: 0, bitsets: 0 };
  for (let group = 0; group < groups.length; group++) {
    const { leaves, required } = groups[group]!;
    const listsBefore = lists.count;
    for (let i = 0; i < leaves.length; i++) {
      const leaf = leaves[i]!;
      const isTaken =
        leaf.kind === "term"
          ? addList(kernels, leaf, leaf.place, group, null)
          : leaf.kind === "word"
            ? addWord(layout, leaf, group)
            : leaf.kind === "marks"
              ? addMarks(layout, leaf, group)
              : addNode(layout, group);
      if (!isTaken) return "impossible";
    }
    if (required && lists.count === listsBefore) return "nothing";
  }
  // A word's lists may be left out, never those of a whole plan of them.
  if (lists.count === 0 && plan.constantScore === null && nodes.length > 0) return "nothing";
  kernels.prepare();
  return "ready";
}

function addList(
  { lists }: SegmentKernels,
  { terms, weight, similarity }: Pick<RankingTerm, "terms" | "weight" | "similarity">,
  place: PostingPlace,
  group: number,
  word: WordList | null,
): boolean {
  if (!(weight > WEIGHT_MIN)) return false;
  return lists.add(terms.image!, place, weight, similarity, group, word);
}

/** The lists of the nearest variants, and the documents of all farther ones together. */
function addWord(layout: Layout, leaf: RankingWord, group: number): boolean {
  const { kernels, wanted } = layout;
  const { fields, inverseDocFreq } = leaf;
  const word = layout.words++;
  for (let field = 0; field < fields.length; field++) {
    const { nearest } = fields[field]!;
    const list = { word, field, inverseDocFreq };
    for (let variant = 0; variant < nearest.length; variant++) {
      if (!addList(kernels, fields[field]!, nearest[variant]!, group, list)) return false;
    }
  }
  if (wanted === "nearest" || fields.every(({ farther }) => farther.length === 0)) return true;
  const bits = kernels.bitsets.more(layout.bitsets++);
  const { bitsetBytes } = kernels.layout;
  kernels.functions.clearBits(bits, bitsetBytes);
  for (const { terms, farther } of fields) {
    for (const { places } of farther) kernels.termBits.or(bits, terms.image!, places);
  }
  return kernels.lists.addFarther({
    bits,
    docFreq: kernels.functions.countBits(bits, bitsetBytes),
    scoreMax: leaf.fartherScoreMax,
    scoreOf: leaf.fartherScore,
    word,
    group,
  });
}

function addMarks(layout: Layout, leaf: RankingMarks, group: number): boolean {
  const { kernels, context } = layout;
  const { score } = leaf;
  if (!(score > WEIGHT_MIN)) return false;
  const numbers = layout.wanted === "few" ? numbersOfMarks(leaf, context) : null;
  if (numbers !== null) return kernels.lists.addNumbers(numbers, score, group);
  const bits = kernels.bitsets.more(layout.bitsets++);
  markAccepted(leaf, context, kernels, bits);
  const docFreq = kernels.functions.countBits(bits, kernels.layout.bitsetBytes);
  return kernels.lists.addMarks({ bits, docFreq, score, group });
}

/** The numbers that tell a leaf's documents, deleted ones included; null if it is another leaf. */
export function numbersOfMarks(leaf: RankingLeaf, context: SegmentContext): NumberRange | null {
  if (leaf.kind !== "marks" || leaf.filters.length !== 1 || leaf.exclusions.length > 0) return null;
  return leaf.filters[0]!.numbers?.(context) ?? null;
}

function addNode(layout: Layout, group: number): boolean {
  const scored = layout.nodes[layout.nextNode++]!;
  return scored === null || layout.kernels.lists.addScored(scored, group);
}
