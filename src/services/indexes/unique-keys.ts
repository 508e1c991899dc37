import type { IndexSchema } from "../../contract/index-schema.js";
import { writeJson } from "../../json/exact-json.js";
import type { SearchBackend, StorageId } from "../../ports/search-backend.js";
import { invalidSchema } from "./invalid-schema.js";

/** Values, or documents, that a refusal names. */
const NAMED_MAX = 5;

/**
 * A field can be the primary key only if no two documents share a value of it, and none lacks one or has an empty text:
 * neither as things are committed nor as a commit would leave them.
 *
 * @throws FindlingError `invalid_schema` naming some that stand in the way
 */
export async function requireUniqueKeys(
  backend: SearchBackend,
  storageId: StorageId,
  { primary_key: key }: IndexSchema,
): Promise<void> {
  if (key === undefined) return;
  const { shared, sharedCount, lacking, lackingCount } = await backend.keyConflicts(storageId, key);
  const problems: string[] = [];
  if (sharedCount > 0) {
    const values = listOf(
      shared.map((value) => writeJson(value)),
      sharedCount,
    );
    problems.push(`several documents share a value: ${values}`);
  }
  if (lackingCount > 0)
    problems.push(`documents have no value, or an empty one: ${listOf(lacking, lackingCount)}`);
  if (problems.length === 0) return;
  throw invalidSchema(
    "primary_key",
    `'primary_key': '${key}' can't be the key, ${problems.join("; ")}; change or delete them first`,
  );
}

/** The first of many, and how many others there are. */
export function listOf(named: readonly string[], count: number): string {
  const shown = named.slice(0, NAMED_MAX);
  const others = count - shown.length;
  return `${shown.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}
