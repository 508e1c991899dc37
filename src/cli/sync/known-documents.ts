import { createHash } from "node:crypto";
import type { FindlingClient } from "../../client/index.js";
import { memberAt } from "../../contract/nested-fields.js";
import { CliError } from "../cli-error.js";
import { everyPage, firstPage } from "../every-page.js";
import { EXIT } from "../exit-codes.js";

/** A document that an index has: its internal ids (several where a key isn't unique), and what it shows. */
export interface KnownDocument {
  readonly ids: readonly string[];
  readonly digest: string;
}

/**
 * An index's committed documents by their keys.
 *
 * @throws CliError if one has no key that is shown
 */
export async function knownDocuments(
  client: FindlingClient,
  index: string,
  key: string,
): Promise<Map<string, KnownDocument>> {
  const known = new Map<string, KnownDocument>();
  const first = await firstPage(client, index, "*");
  for await (const { hits } of everyPage(client, index, first)) {
    for (const { doc, document_id } of hits) {
      const value = memberAt(doc, key);
      if (typeof value !== "string" && typeof value !== "number") {
        throw new CliError(
          EXIT.dataRefused,
          "no_key",
          `document ${document_id} of '${index}' has no single '${key}', by which it could be told from others`,
        );
      }
      const before = known.get(String(value));
      const ids = before === undefined ? [document_id] : [...before.ids, document_id];
      // Of several with one key none is as it should be.
      known.set(String(value), { ids, digest: before === undefined ? digestOf(doc) : "" });
    }
  }
  return known;
}

/** What tells two documents apart, whatever the order of their members. */
export function digestOf(document: Readonly<Record<string, unknown>>): string {
  const members = Object.keys(document)
    .sort()
    .map((name) => [name, document[name]]);
  return createHash("sha256").update(JSON.stringify(members)).digest("base64").slice(0, 22);
}
