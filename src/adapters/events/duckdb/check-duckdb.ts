import { existsSync } from "node:fs";
import { CorruptionError, loadOptional } from "../../../errors/index.js";
import { EVENT_TABLE } from "../sql/filter-sql.js";
import { toFindlingError } from "./open-duckdb.js";

export interface CheckedEvents {
  /** Null where they couldn't be counted. */
  readonly events: number | null;
  readonly damage: CorruptionError | null;
  /** Why the file wasn't read, though nothing is wrong with it as far as can be told: a server has it open. */
  readonly unread: string | null;
}

/**
 * Reads every stored value of DuckDB's file, whose blocks have checksums; for tools that only read.
 *
 * @param path of the file; where it isn't there, there are no events
 */
export async function checkDuckDb(path: string): Promise<CheckedEvents> {
  if (!existsSync(path)) return { events: 0, damage: null, unread: null };
  // Opened to be read only, it must not have what isn't in the file yet.
  if (existsSync(`${path}.wal`))
    return unread("a server has it open, or has left it without an orderly stop");
  try {
    const { DuckDBInstance } = await loadOptional("@duckdb/node-api", () => import("@duckdb/node-api"));
    const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY", threads: "1" });
    try {
      const connection = await instance.connect();
      const result = await connection.run(`SELECT count(*), bit_xor(hash(e)) FROM ${EVENT_TABLE} AS e`);
      const [row] = await result.getRowsJS();
      connection.closeSync();
      return { events: Number(row?.[0] ?? 0), damage: null, unread: null };
    } finally {
      instance.closeSync();
    }
  } catch (error) {
    const failure = toFindlingError(error, path);
    if (failure instanceof CorruptionError) return { events: null, damage: failure, unread: null };
    if (failure.code === "not_supported") return unread(failure.message);
    if (failure.code === "storage_locked") return unread("a server has it open");
    const problem = error instanceof Error ? error.message.split("\n")[0]! : String(error);
    return { events: null, damage: new CorruptionError(path, problem, { cause: error }), unread: null };
  }
}

function unread(reason: string): CheckedEvents {
  return { events: null, damage: null, unread: reason };
}
