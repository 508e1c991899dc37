import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { debianCorpus } from "../corpus.js";
import { KEY, type ServerUnderTest } from "../summaries/server-under-test.js";
import type { LoadCommand } from "./load-process.js";

/** The index that Debian's packages are written to. */
export const INDEX = "packages";

export async function createIndex(server: ServerUnderTest): Promise<void> {
  const schema = fileURLToPath(new URL("../../demo/packages.schema.json", import.meta.url));
  const response = await fetch(`${server.url}/index`, {
    method: "POST",
    headers: { authorization: KEY, "content-type": "application/json" },
    body: readFileSync(schema),
  });
  if (!response.ok) throw new Error(`the index was refused: ${response.status} ${await response.text()}`);
}

/** Debian's packages from `from` up to, not including, `to`; after the last one they begin anew. */
export function packagesFrom(
  server: ServerUnderTest,
  from: number,
  to: number,
  { batch, connections, commitEvery }: Pick<LoadCommand, "batch" | "connections" | "commitEvery">,
): LoadCommand {
  const url = `${server.url}/index/${INDEX}`;
  return { url, key: KEY, corpus: debianCorpus().file, from, to, batch, connections, commitEvery };
}
