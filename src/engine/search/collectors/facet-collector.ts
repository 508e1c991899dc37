import { FindlingError } from "../../../errors/index.js";
import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocId } from "../../schema/document.js";
import type { EngineSchema } from "../../schema/engine-schema.js";
import type { DocBits, OrdinalColumn, SegmentReader } from "../../segment/segment-reader.js";
import type { WindowBits } from "../evaluators/evaluator.js";
import { countListedPaths, countMarkedPaths } from "./count-marked-paths.js";
import { CountedFacet } from "./counted-facet.js";
import { FacetCounter } from "./facet-counter.js";
import type { FacetTree } from "./facet-tree.js";
import type { FacetTrees } from "./facet-trees.js";

/** Counts the matches of several facet fields over all segments. */
export class FacetCollector {
  readonly #fields: readonly { readonly name: string; readonly tree: FacetTree }[];
  #counters: { readonly column: OrdinalColumn; readonly counter: FacetCounter; readonly tree: FacetTree }[] =
    [];

  /** @throws FindlingError `unknown_field`, `invalid_request` for a field that is no facet */
  constructor(schema: EngineSchema, names: readonly string[], trees: FacetTrees) {
    this.#fields = names.map((name) => {
      const field = schema.fields.find((candidate) => candidate.name === name);
      if (field === undefined)
        throw new FindlingError("unknown_field", `field '${name}' is not in the schema`);
      if (field.kind !== "facet") {
        throw new FindlingError(
          "invalid_request",
          `field '${name}' is of kind ${field.kind}, only facets are counted`,
        );
      }
      return { name, tree: trees.begin(name) };
    });
  }

  startSegment(segment: SegmentReader): void {
    this.#counters = [];
    for (const { name, tree } of this.#fields) {
      const column = segment.column(name);
      if (column !== null) this.#counters.push({ column, counter: new FacetCounter(column), tree });
    }
  }

  collect(windowStart: DocId, matches: WindowBits): void {
    for (let i = 0; i < this.#counters.length; i++) this.#counters[i]!.counter.collect(windowStart, matches);
  }

  /** Takes a segment whose matches are all in kernel memory; `matchCount` of them. */
  collectMarked(segment: SegmentReader, kernels: SegmentKernels, matches: DocBits, matchCount: number): void {
    for (const { name, tree } of this.#fields) {
      const column = segment.column(name);
      if (column === null) continue;
      try {
        tree.add(column, countMarkedPaths(segment, column, kernels, matches, matchCount));
      } catch (error) {
        if (!(error instanceof ScratchExhaustedError)) throw error;
        const counter = new FacetCounter(column);
        counter.collect(0, matches);
        tree.add(column, counter.totals());
      }
    }
  }

  /** The same where they are listed. @param listed address of their doc ids, u32 */
  collectListed(segment: SegmentReader, kernels: SegmentKernels, listed: number, matchCount: number): void {
    for (const { name, tree } of this.#fields) {
      const column = segment.column(name);
      if (column === null) continue;
      try {
        tree.add(column, countListedPaths(column, kernels, listed, matchCount));
      } catch (error) {
        if (!(error instanceof ScratchExhaustedError)) throw error;
        const counter = new FacetCounter(column);
        counter.collectDocs(kernels.listedDocs(listed, matchCount));
        tree.add(column, counter.totals());
      }
    }
  }

  endSegment(): void {
    for (const { column, counter, tree } of this.#counters) tree.add(column, counter.totals());
  }

  results(): CountedFacet[] {
    return this.#fields.map(({ name, tree }) => new CountedFacet(name, tree.facetCounts()));
  }
}
