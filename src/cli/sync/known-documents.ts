import { createHash } from "node:crypto";
import type { FindlingClient } from "../../client/index.js";
import { memberAt } from "../../contract/nested-fields.js";
import { writeJson } from "../../json/exact-json.js";
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
      const keyText = keyTextOf(value);
      if (keyText === undefined) {
        throw new CliError(
          "no_key",
          `document ${document_id} of '${index}' has no single '${key}', by which it could be told from others`,
          undefined,
          EXIT.dataRefused,
        );
      }
      const before = known.get(keyText);
      const ids = before === undefined ? [document_id] : [...before.ids, document_id];
      // Of several with one key none is as it should be.
      known.set(keyText, { ids, digest: before === undefined ? digestOf(doc) : "" });
    }
  }
  return known;
}

/** What tells a key from others, whatever form of Unicode or of JSON it is written in; undefined for what is none. */
export function keyTextOf(value: unknown): string | undefined {
  const isKey = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  return isKey ? String(value).normalize("NFC") : undefined;
}

/** What tells two documents apart, whatever the order of their members. */
export function digestOf(document: Readonly<Record<string, unknown>>): string {
  const members = Object.keys(document)
    .sort()
    .map((name) => [name, document[name]]);
  return createHash("sha256").update(writeJson(members)).digest("base64").slice(0, 22);
}
