import { setTimeout as delay } from "node:timers/promises";
import type { CatalogIndex } from "../../ports/catalog.js";
import type { StorageId } from "../../ports/search-backend.js";
import { NewerFormatError } from "../catalog/catalog-file.js";
import { secretProblemsOf } from "../catalog/index-secrets.js";
import type { SecretKeyRing } from "../catalog/secret-key-ring.js";
import { decodeKeys, keyProblemsOf } from "../catalog/stored-key.js";
import { CatalogDocuments, type EntryKind } from "./catalog-documents.js";
import type { Cluster } from "./cluster.js";
import { IndexStates } from "./index-states.js";
import type { OwnedIndices } from "./owned-index.js";
import { checkSecretKey } from "./secret-key-mark.js";
import { StorageNames } from "./storage-names.js";

/**
 * What is wrong: an entry of the catalog, the state of an index, one of the cluster's indices that is gone, one whose shards
 * aren't there, data that no entry names, a secret, or the secret key.
 */
export type ClusterProblemKind = EntryKind | "state" | "gone" | "red" | "unnamed" | "secret" | "wrong-key";

export interface ClusterProblem {
  readonly kind: ClusterProblemKind;
  /** The document (`PREFIX-catalog/_doc/index:books`) or index of the cluster that it is about. */
  readonly place: string;
  /** A sentence without full stop that names the place and what is lost with it. */
  readonly problem: string;
  /** Whether stored data isn't what was written; false where only something is missing here or now. */
  readonly isDamage: boolean;
}

export interface CheckedCluster {
  readonly status: "green" | "yellow" | "red";
  readonly nodes: number;
  /** Those that the catalog names and that can be read; null where nothing is stored under the prefix yet. */
  readonly indexes: number | null;
  readonly problems: readonly ClusterProblem[];
}

interface Health {
  readonly status: CheckedCluster["status"];
  readonly number_of_nodes: number;
  readonly indices?: Readonly<Record<string, { readonly status: CheckedCluster["status"] }>>;
}

/** What servers change meanwhile is seen in whole after that. */
const SETTLED_AFTER_MS = 1_500;

/**
 * What of a Findling in a cluster needs somebody. Reads only, and servers may run: what is wrong only for a moment, as an
 * index is being made or deleted, is not told.
 *
 * @throws FindlingError `invalid_configuration` if the prefix is somebody else's; `storage_unavailable`
 */
export async function checkCluster(
  cluster: Cluster,
  indices: OwnedIndices,
  keys: SecretKeyRing,
): Promise<CheckedCluster> {
  const first = await look(cluster, indices, keys);
  if (first.problems.length === 0) return first;
  await delay(SETTLED_AFTER_MS);
  const second = await look(cluster, indices, keys);
  const seen = new Set(first.problems.map(({ problem }) => problem));
  return { ...second, problems: second.problems.filter(({ problem }) => seen.has(problem)) };
}

async function look(cluster: Cluster, indices: OwnedIndices, keys: SecretKeyRing): Promise<CheckedCluster> {
  const { body } = await cluster.request<Health>("GET", `/_cluster/health/${indices.nameOf("*")}`, {
    query: { level: "indices" },
  });
  const { status, number_of_nodes: nodes, indices: found = {} } = body;
  const catalogIndex = indices.nameOf("catalog");
  if (found[catalogIndex] === undefined) return { status, nodes, indexes: null, problems: [] };
  await indices.requireOwn(catalogIndex);
  const statesIndex = indices.nameOf("states");
  const own = [catalogIndex, statesIndex].flatMap((name) => placeProblem(name, found, "all indexes"));
  if (found[catalogIndex].status === "red") return { status, nodes, indexes: 0, problems: own };
  const documents = CatalogDocuments.existing(cluster, indices);
  await documents.refresh();
  const entries = documents.all<CatalogIndex>("index");
  const areStatesThere = own.length === 0;
  return {
    status,
    nodes,
    indexes: entries.length,
    problems: [
      ...own,
      ...entryProblems(documents),
      ...secretProblems(documents, entries, keys),
      ...entries.flatMap(({ schema: { name }, storageId }) => {
        const names = new StorageNames(indices);
        return [names.documents(storageId), names.words(storageId)].flatMap((index) =>
          placeProblem(index, found, `index '${name}'`),
        );
      }),
      ...(areStatesThere
        ? await stateProblems(IndexStates.existing(cluster, indices), statesIndex, entries)
        : []),
    ],
  };
}

function placeProblem(
  index: string,
  found: NonNullable<Health["indices"]>,
  holder: string,
): readonly ClusterProblem[] {
  const present = found[index];
  if (present === undefined) {
    const problem = `${holder}: the cluster's index '${index}' is gone`;
    return [{ kind: "gone", place: index, problem, isDamage: true }];
  }
  if (present.status !== "red") return [];
  const problem = `${holder}: shards of the cluster's index '${index}' aren't there (red)`;
  return [{ kind: "red", place: index, problem, isDamage: false }];
}

function entryProblems(documents: CatalogDocuments): readonly ClusterProblem[] {
  return documents.damaged().map(({ kind, file, holder, error }) => ({
    kind,
    place: file,
    problem: `${holder}: ${error.message}`,
    isDamage: !(error instanceof NewerFormatError),
  }));
}

function secretProblems(
  documents: CatalogDocuments,
  entries: readonly CatalogIndex[],
  keys: SecretKeyRing,
): readonly ClusterProblem[] {
  try {
    checkSecretKey(documents, keys);
  } catch (error) {
    // Then no secret opens, which would only be said again of each.
    const place = documents.fileOf("secret-key", "id");
    return [{ kind: "wrong-key", place, problem: (error as Error).message, isDamage: false }];
  }
  const keysPlace = documents.fileOf("keys", "all");
  const content = documents.content("keys", "all");
  const stored = content === undefined ? [] : decodeKeys(Buffer.from(content), keysPlace);
  return [
    ...entries.flatMap((entry) =>
      secretProblemsOf(entry, { keys, file: documents.fileOf("index", entry.schema.name) }),
    ),
    ...keyProblemsOf(stored, { keys, file: keysPlace }),
  ].map(({ file, problem, isDamage }) => ({ kind: "secret", place: file, problem, isDamage }));
}

async function stateProblems(
  states: IndexStates,
  statesIndex: string,
  entries: readonly CatalogIndex[],
): Promise<readonly ClusterProblem[]> {
  const placeOf = (storageId: StorageId): string => `${statesIndex}/_doc/${storageId}`;
  const names = new Map(entries.map(({ schema, storageId }) => [storageId, `index '${schema.name}'`]));
  const problems: ClusterProblem[] = [];
  const damaged = new Set<StorageId>();
  const readable = await states.all((storageId, { message }) => {
    damaged.add(storageId);
    const holder = names.get(storageId) ?? "an index that no entry of the catalog names";
    const problem = `${holder}: ${message}`;
    problems.push({ kind: "state", place: placeOf(storageId), problem, isDamage: true });
  });
  for (const [storageId, holder] of names) {
    if (damaged.has(storageId) || readable.get(storageId)?.droppedAt === null) continue;
    const problem = `${holder}: its state, '${placeOf(storageId)}', is gone`;
    problems.push({ kind: "state", place: placeOf(storageId), problem, isDamage: true });
  }
  for (const [storageId, { schema, isKept, droppedAt }] of readable) {
    if (names.has(storageId) || !isKept || droppedAt !== null) continue;
    const problem = `storage '${storageId}' holds index '${schema.name}', and no entry of the catalog names it`;
    problems.push({ kind: "unnamed", place: placeOf(storageId), problem, isDamage: true });
  }
  return problems;
}
