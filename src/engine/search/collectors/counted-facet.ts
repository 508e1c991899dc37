import type { FacetCounts, FacetNode, RankedFacet } from "../search-types.js";

/** A facet field's counts: nodes are made for whoever asks for them, as most counts are only written down. */
export class CountedFacet implements RankedFacet {
  readonly field: string;
  readonly counts: FacetCounts;

  constructor(field: string, counts: FacetCounts) {
    this.field = field;
    this.counts = counts;
  }

  get nodes(): readonly FacetNode[] {
    const { paths, entries } = this.counts;
    const roots: FacetNode[] = [];
    /** By depth: the list that its next node goes to. */
    const lists = [roots];
    for (let at = 0; at < entries.length; at += 3) {
      const path = paths.pathOf(entries[at]!);
      const count = entries[at + 1]!;
      const depth = entries[at + 2]!;
      const isLeaf = at + 5 >= entries.length || entries[at + 5]! <= depth;
      if (isLeaf) {
        lists[depth]!.push({ path, count });
      } else {
        const children: FacetNode[] = [];
        lists[depth]!.push({ path, count, children });
        lists[depth + 1] = children;
      }
    }
    return roots;
  }
}
