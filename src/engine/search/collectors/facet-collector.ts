import { FindlingError } from "../../../errors/index.js";
import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocId } from "../../schema/document.js";
import type { EngineSchema } from "../../schema/engine-schema.js";
import { fieldOf } from "../../schema/field-ordinals.js";
import { hasPaths } from "../../segment/segment-files.js";
import type { OrdinalColumn, SegmentReader } from "../../segment/segment-reader.js";
import type { WindowBits } from "../evaluators/evaluator.js";
import type { FacetCounts } from "../search-types.js";
import { countPaths, type KernelMatches } from "./count-paths.js";
import { CountedFacet } from "./counted-facet.js";
import { FacetCounter } from "./facet-counter.js";
import type { FacetTree } from "./facet-tree.js";
import type { FacetTrees } from "./facet-trees.js";

interface CollectedField {
  readonly name: string;
  readonly tree: FacetTree;
  /** What the only segment has; null if the tree tells. */
  only: FacetCounts | null;
}

/** Counts the matches of several facet fields over all segments. */
export class FacetCollector {
  /** As they were asked for; a field may be named more than once, and is counted once. */
  readonly #names: readonly string[];
  readonly #fields: readonly CollectedField[];
  readonly #isOneSegment: boolean;
  /** Kernels of the last segment that has been counted; null if there is none. */
  #kernels: SegmentKernels | null = null;
  #counters: { readonly column: OrdinalColumn; readonly counter: FacetCounter; readonly tree: FacetTree }[] =
    [];

  /**
   * @param isOneSegment whether no more than one will be collected
   * @throws FindlingError `unknown_field`, `invalid_request` for a field that is no facet
   */
  constructor(schema: EngineSchema, names: readonly string[], trees: FacetTrees, isOneSegment: boolean) {
    this.#isOneSegment = isOneSegment;
    this.#names = names;
    this.#fields = [...new Set(names)].map((name) => {
      const field = fieldOf(schema, name);
      if (field === undefined)
        throw new FindlingError("unknown_field", `field '${name}' is not in the schema`);
      if (!hasPaths(field)) {
        throw new FindlingError(
          "invalid_request",
          `field '${name}' is of kind ${field.kind}, only facets and labels are counted`,
        );
      }
      return { name, tree: trees.begin(field), only: null };
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

  /** Takes a segment whose matches are all in kernel memory. */
  collectAll(segment: SegmentReader, kernels: SegmentKernels, matches: KernelMatches): void {
    this.#kernels = kernels;
    for (let i = 0; i < this.#fields.length; i++) {
      const field = this.#fields[i]!;
      const column = segment.column(field.name);
      if (column === null) continue;
      try {
        const counted = countPaths(column, kernels, matches);
        if (this.#isOneSegment) field.only = field.tree.countsOf(column, counted, kernels.functions);
        if (field.only === null) field.tree.add(column, counted);
      } catch (error) {
        if (!(error instanceof ScratchExhaustedError)) throw error;
        const counter = new FacetCounter(column);
        if (matches.bits !== null) counter.collect(0, matches.bits);
        else counter.collectDocs(kernels.listedDocs(matches.listed, matches.count));
        field.tree.add(column, counter.totals());
      }
    }
  }

  endSegment(): void {
    for (const { column, counter, tree } of this.#counters) tree.add(column, counter.totals());
  }

  results(): CountedFacet[] {
    const fields = this.#fields.map(
      ({ name, tree, only }) => new CountedFacet(name, only ?? tree.facetCounts(this.#kernels)),
    );
    if (fields.length === this.#names.length) return fields;
    const byName = new Map(fields.map((facet) => [facet.field, facet]));
    return this.#names.map((name) => byName.get(name)!);
  }
}
