import type { EngineField } from "../../schema/engine-schema.js";
import type { BlockViewer } from "../doc-store/copy-documents.js";
import type { SlicedWork } from "../sliced-work.js";
import { mergeTextOrders } from "./merge-text-orders.js";
import { StoredTexts } from "./stored-texts.js";
import { TextMember } from "./text-member.js";
import type { TextOrderMerge, TextOrderSource } from "./text-order-merge.js";
import { TextOrderMergeInput } from "./text-order-merge-input.js";

/** In plain TypeScript; takes memory for the beginnings of all fields' values at a time. */
export class PlainTextOrderMerge implements TextOrderMerge {
  readonly #fields: readonly EngineField[];
  readonly #sources: readonly TextOrderSource[];
  /** By field, by source. */
  readonly #inputs: ReadonlyMap<EngineField, readonly (TextOrderMergeInput | null)[]>;

  constructor(fields: readonly EngineField[], sources: readonly TextOrderSource[]) {
    this.#fields = fields;
    this.#sources = sources;
    this.#inputs = new Map(
      fields.map((field) => [
        field,
        sources.map((source) => {
          const order = source.textOrder(field.name);
          if (order === null) return null;
          return new TextOrderMergeInput(order, source.docMap, new StoredTexts(source.documents, field));
        }),
      ]),
    );
  }

  viewerOf(source: number): BlockViewer {
    const { documents } = this.#sources[source]!;
    const parts = this.#fields.flatMap((field) => {
      const input = this.#inputs.get(field)![source]!;
      return input === null ? [] : [{ field, input, member: new TextMember(field.name) }];
    });
    return {
      see: (block, bytes) => {
        const end = documents.blockEndDoc(block);
        let docId = documents.blockFirstDoc(block);
        while (docId < end && !parts.some(({ input }) => input.wants(docId))) docId++;
        if (docId === end) return;
        documents.forEachOfBlock(
          block,
          (seen, stored, unstored) => {
            for (const { field, input, member } of parts)
              if (input.wants(seen)) input.learn(seen, member, field.stored ? stored : unstored);
          },
          bytes,
        );
      },
    };
  }

  *merge(field: EngineField, newMaxDoc: number): SlicedWork<Uint32Array | null> {
    const inputs = this.#inputs.get(field)!.filter((input) => input !== null);
    return yield* mergeTextOrders(inputs, newMaxDoc);
  }

  close(): void {}
}
