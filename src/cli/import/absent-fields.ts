import { rootOf } from "../../contract/nested-fields.js";
import type { ImportRecord } from "./import-source.js";

/** Notes which members documents have, to tell which fields of an index none of them fills. */
export class AbsentFields {
  readonly #members = new Set<string>();

  /** The records again. */
  async *records(groups: AsyncIterable<readonly ImportRecord[]>): AsyncGenerator<readonly ImportRecord[]> {
    for await (const group of groups) {
      for (const { parsed } of group) {
        if (parsed.problem !== undefined) continue;
        for (const name in parsed.document) this.#members.add(name);
      }
      yield group;
    }
  }

  /** Those of the fields that no document had so far. */
  of(fields: readonly string[]): readonly string[] {
    return fields.filter((field) => !this.#members.has(field) && !this.#members.has(rootOf(field)));
  }
}
