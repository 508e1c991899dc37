import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { KEY, type ServerUnderTest } from "../summaries/server-under-test.js";

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
