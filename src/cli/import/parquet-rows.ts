import { loadOptional } from "../../errors/index.js";
import { MalformedInputError, type RawRecord } from "../../intake/raw-record.js";
import { fieldsOfColumns } from "./column-names.js";

/**
 * The rows of a Parquet file as JSON objects, numbered from 1. DuckDB reads it row group by row group. Integers have all
 * their digits, and bytes are base64.
 *
 * @throws MalformedInputError where DuckDB can't read it; FindlingError `not_supported` without DuckDB
 */
export async function* parquetRows(
  path: string,
  onRename: (column: string, field: string) => void,
): AsyncGenerator<readonly RawRecord[]> {
  const { DuckDBInstance } = await loadOptional("@duckdb/node-api", () => import("@duckdb/node-api"));
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  try {
    const connection = await instance.connect();
    const file = `read_parquet(${quoted(path, "'")})`;
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${file}`);
    const columns = described
      .getRowObjects()
      .map((row) => [String(row["column_name"]), String(row["column_type"])] as const);
    const fields = fieldsOfColumns(
      columns.map(([name]) => name),
      onRename,
    );
    const members = columns.map(
      ([name, type], i) => `${quoted(fields[i]!, '"')} := ${jsonExpression(quoted(name, '"'), type)}`,
    );
    const result = await connection.stream(
      `SELECT CAST(to_json(struct_pack(${members.join(", ")})) AS VARCHAR) FROM ${file}`,
    );
    let line = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      const rows: RawRecord[] = [];
      for (const json of chunk.getColumnValues(0))
        rows.push({ line: ++line, bytes: Buffer.from(String(json)) });
      yield rows;
    }
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
    throw new MalformedInputError(`it can't be read as Parquet: ${failure.message.split("\n")[0]}`);
  } finally {
    instance.closeSync();
  }
}

function jsonExpression(column: string, type: string): string {
  return type === "BLOB" ? `base64(${column})` : column;
}

function quoted(text: string, quote: string): string {
  return `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
}
