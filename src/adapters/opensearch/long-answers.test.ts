import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Cluster } from "./cluster.js";
import { KeptCounts } from "./collection.js";
import { sendSearch } from "./federated-search.js";

test("of documents whose sources are too long for one answer only the documents are asked for", async () => {
  const asked: unknown[] = [];
  const found = { timed_out: false, hits: { total: { value: 0 }, hits: [] } };
  const node = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const body = JSON.parse(text) as { readonly _source?: unknown };
      asked.push(body._source);
      const answer = JSON.stringify(found);
      const length = body._source === undefined ? 600_000_000 : answer.length;
      response.writeHead(200, { "content-type": "application/json", "content-length": length });
      response.write(answer);
      response.end();
    });
  });
  await new Promise<void>((resolve) => node.listen(0, resolve));
  const cluster = new Cluster({ urls: [`http://127.0.0.1:${(node.address() as AddressInfo).port}`] });
  try {
    const access = { cluster, kept: new KeptCounts(), timeoutMs: 5_000 };
    expect(await sendSearch(access, "/_search", { query: { match_all: {} } }, undefined)).toEqual(found);
    expect(asked).toEqual([undefined, ["doc", "member"]]);
  } finally {
    await cluster.close();
    node.closeAllConnections();
    node.close();
  }
});
