import type { ScoreExplanation } from "../../src/client/index.js";

/** A part of two scores; undefined where one doesn't have it. */
export interface ComparedPart {
  readonly description: string;
  readonly one: number | undefined;
  readonly other: number | undefined;
}

/** The parts in which two scores differ or agree, those first that make the most of the difference. */
export function comparedParts(one: ScoreExplanation, other: ScoreExplanation): readonly ComparedPart[] {
  const [ones, others] = [partsOf(one), partsOf(other)];
  const parts = [...new Map([...ones, ...others]).keys()].map(
    (key): ComparedPart => ({
      description: (ones.get(key) ?? others.get(key))!.description,
      one: ones.get(key)?.value,
      other: others.get(key)?.value,
    }),
  );
  return parts.toSorted((a, b) => differenceOf(b) - differenceOf(a));
}

function differenceOf({ one = 0, other = 0 }: ComparedPart): number {
  return Math.abs(one - other);
}

/** Levels that are looked through for what words and fields count. */
const LEVELS = 3;

/** A score's parts by what they are of, whatever figures stand in their descriptions; what comes again is added up. */
function partsOf(root: ScoreExplanation): ReadonlyMap<string, { description: string; value: number }> {
  const parts = new Map<string, { description: string; value: number }>();
  const add = (node: ScoreExplanation, level: number): void => {
    const isSum = /\bsum\b|added|all of/i.test(node.description);
    if (level < LEVELS && node.details.length > 0 && (isSum || node.details.length === 1)) {
      for (const detail of node.details) add(detail, level + 1);
      return;
    }
    const key = node.description.replace(/\d+(?:\.\d+)?(?:e-?\d+)?/g, "#");
    const known = parts.get(key);
    if (known === undefined) parts.set(key, { description: node.description, value: node.value });
    else known.value += node.value;
  };
  add(root, 0);
  return parts;
}
