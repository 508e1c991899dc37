import type { FieldDraft } from "../../client/index.js";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { DocumentNormalizer, NormalizationReport } from "../../intake/document-normalizer.js";
import type { ImportRecord } from "./import-source.js";
import type { ParsedRecord } from "./record-parser.js";

/** Reads documents as a server with these fields would, for a run that sends nothing. */
export class SchemaCheck {
  readonly #normalizer: DocumentNormalizer;
  readonly #ignoredFields = new Set<string>();

  constructor(fields: Readonly<Record<string, FieldDraft>>) {
    const definitions = Object.entries(fields).map(([name, draft]): [string, FieldDefinition] => [
      name,
      // What differs between the two, a member that says what it would be without it, makes none for values.
      { required: false, stored: true, indexed: true, multi: false, ...draft } as FieldDefinition,
    ]);
    this.#normalizer = new DocumentNormalizer(Object.fromEntries(definitions));
  }

  /** Members that documents had and there is no field for. */
  get ignoredFields(): readonly string[] {
    return [...this.#ignoredFields];
  }

  /** The records again, those that the server would refuse with the problem that it would name. */
  async *records(groups: AsyncIterable<readonly ImportRecord[]>): AsyncGenerator<readonly ImportRecord[]> {
    for await (const group of groups)
      yield group.map((record) => ({ ...record, parsed: this.#checked(record.parsed) }));
  }

  #checked(parsed: ParsedRecord): ParsedRecord {
    if (parsed.problem !== undefined) return parsed;
    const report = new NormalizationReport();
    this.#normalizer.normalize(parsed.document, "", report);
    for (const field of report.ignoredFields) this.#ignoredFields.add(field);
    const [first] = report.problems;
    return first === undefined ? parsed : { problem: first.message };
  }
}
