import { FindlingError } from "../../errors/index.js";
import type { DocId } from "../schema/document.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { fieldOf } from "../schema/field-ordinals.js";
import type { OrdinalColumn } from "../segment/segment-reader.js";
import type { WindowBits, WindowScores } from "./evaluators/evaluator.js";
import { lowestBit } from "./evaluators/window-bits.js";
import type { TimeDecay } from "./search-types.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";

const SECONDS_PER_DAY = 86_400;

/** @throws FindlingError `unknown_field`; `invalid_request` if the field is no datetime */
export function requireDecayField(schema: EngineSchema, decay: TimeDecay): void {
  const field = fieldOf(schema, decay.field);
  if (field === undefined)
    throw new FindlingError("unknown_field", `field '${decay.field}' is not in the schema`);
  if (field.kind !== "datetime") {
    throw new FindlingError(
      "invalid_request",
      `scores can only decay by a datetime field, '${decay.field}' is ${field.kind}`,
    );
  }
}

/** Multiplies one segment's scores by the decay of each document's age. */
export class SegmentDecay {
  readonly #column: OrdinalColumn | null;
  /** By ordinal: seconds since the epoch. */
  readonly #seconds: Float64Array;
  readonly #decay: TimeDecay;

  constructor(statistics: SegmentStatistics, decay: TimeDecay) {
    this.#column = statistics.segment.column(decay.field);
    this.#seconds = this.#column === null ? new Float64Array(0) : statistics.instants(decay.field);
    this.#decay = decay;
  }

  apply(windowStart: DocId, matches: WindowBits, scores: WindowScores): void {
    if (this.#column === null) return;
    for (let word = 0; word < matches.length; word++) {
      let rest = matches[word]!;
      while (rest !== 0) {
        const offset = (word << 5) + lowestBit(rest);
        scores[offset] = scores[offset]! * Math.fround(this.factorOf(windowStart + offset));
        rest &= rest - 1;
      }
    }
  }

  /** 1 for a document without a value. */
  factorOf(docId: DocId): number {
    const ordinal = this.#column === null ? -1 : latestOrdinal(this.#column, docId);
    if (ordinal < 0) return 1;
    const ageInDays = Math.max(0, this.#decay.nowSeconds - this.#seconds[ordinal]!) / SECONDS_PER_DAY;
    return Math.exp(-this.#decay.ratePerDay * ageInDays);
  }
}

/** Ordinal of the document's greatest value, or -1. */
function latestOrdinal(column: OrdinalColumn, docId: DocId): number {
  if (column.ordinals !== null) return column.ordinals[docId]! - 1;
  const start = column.multiStarts![docId]!;
  const end = column.multiStarts![docId + 1]!;
  return start === end ? -1 : column.multiOrdinals![end - 1]!;
}
