import { bytesOfJson } from "../../contract/document-json.js";
import type { EngineSchema, FoundDocument } from "../../engine/server-door.js";
import { writeJson } from "../../json/exact-json.js";
import type { ChangeOptions, DocumentChange } from "../../ports/document-change.js";
import { documentIdOf, withDocumentIds } from "./document-revisions.js";
import type { Dsl } from "./dsl.js";
import { storedJson } from "./federated-search.js";
import { partOf } from "./index-mapping.js";
import type { StoredDocument, StoredDocuments } from "./stored-documents.js";
import { wholeValue } from "./whole-value.js";

/** A document that is to be changed. */
export interface ChangeTarget {
  readonly clusterId: string;
  readonly found: FoundDocument;
}

/** Documents that are asked for in one query. */
const TARGETS_TOGETHER = 10_000;

/**
 * The documents that changes name, as the filter lets them through; null for each that isn't there. To be called after
 * a refresh.
 */
export async function findTargets(
  stored: StoredDocuments,
  {
    schema,
    changes,
    options,
    filter,
  }: {
    readonly schema: EngineSchema;
    readonly changes: readonly DocumentChange[];
    readonly options: ChangeOptions;
    readonly filter: Dsl;
  },
): Promise<readonly (ChangeTarget | null)[]> {
  const keyField = schema.fields.find(({ name }) => name === options.key);
  const names = changes.map(({ target }) => {
    if ("id" in target) return { id: target.id };
    return { key: wholeValue(keyField!, target.key) };
  });
  const byId = new Map<string, ChangeTarget>();
  const byKey = new Map<string, ChangeTarget>();
  const gather = async (queries: (together: readonly string[]) => Dsl, wanted: readonly string[]) => {
    for (let start = 0; start < wanted.length; start += TARGETS_TOGETHER) {
      const query = { bool: { filter: [filter, queries(wanted.slice(start, start + TARGETS_TOGETHER))] } };
      for await (const page of stored.all(query)) {
        for (const each of page) {
          const target = targetOf(each, schema);
          byId.set(target.found.id, target);
          const value = keyField === undefined ? undefined : each.document[keyField.name];
          if (value !== undefined) byKey.set(wholeValue(keyField!, value), target);
        }
      }
    }
  };
  await gather(withDocumentIds, [...new Set(names.flatMap(({ id }) => (id === undefined ? [] : [id])))]);
  await gather(
    (together) => ({ terms: { [partOf("v", keyField!.name)]: together } }),
    [...new Set(names.flatMap(({ key }) => (key === undefined ? [] : [key])))],
  );
  return names.map(({ id, key }) => (id === undefined ? byKey.get(key!) : byId.get(id)) ?? null);
}

function targetOf({ id: clusterId, document }: StoredDocument, schema: EngineSchema): ChangeTarget {
  const id = documentIdOf(clusterId);
  const stored = bytesOfJson(storedJson(writeJson(document), schema));
  return { clusterId, found: { id, stored, document } };
}
