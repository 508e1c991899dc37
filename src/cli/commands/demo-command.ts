import type { FindlingClient, SearchAnswer, SearchBody } from "../../client/index.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { loadSample } from "../demo/load-sample.js";
import { SAMPLE_SEARCHES } from "../demo/sample-searches.js";
import { formatCount } from "../terminal/format-amount.js";
import { formatTable } from "../terminal/format-table.js";
import type { Output } from "../terminal/output.js";

export interface DemoOptions extends ConnectionOptions {
  readonly index: string;
  readonly reset?: boolean;
}

interface SamplePackage {
  readonly name: string;
  readonly title: string;
}

/** `findling demo`: a sample to search, a search seen at work, and more to try. */
export async function runDemo(options: DemoOptions, output: Output): Promise<void> {
  const { client, url, key } = await connect(options);
  const { index } = options;
  const loaded = await loadSample(client, index, { reset: options.reset === true });
  const { document_count } = await client.getIndexStats(index);
  const [first] = SAMPLE_SEARCHES;
  const answer = await client.searchIndex<SamplePackage>(index, first!.body);
  const searchKey = await keyForSearching(client, key);
  const address = `${url}/index/${index}/search`;
  output.result(
    { index, documents: document_count, loaded, searches: SAMPLE_SEARCHES, first_answer: answer },
    [
      `${formatCount(document_count)} packages of Debian 12 ${loaded ? "are now" : "were already"} in index '${index}'`,
      "",
      `${first!.title}: ${JSON.stringify(first!.body.query)}`,
      describeAnswer(answer),
      "",
      `try these, and more at ${url}/docs:`,
      ...SAMPLE_SEARCHES.flatMap(({ title, body }) => ["", `# ${title}`, curlLine(address, searchKey, body)]),
    ].join("\n"),
  );
}

/** A command to paste: JSON in single quotes, as the shell leaves those alone. */
export function curlLine(address: string, key: string | undefined, body: SearchBody): string {
  const authorization = key === undefined ? "" : ` -H 'Authorization: ${key}'`;
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl -s ${address}${authorization} -H 'Content-Type: application/json' -d '${json}'`;
}

/** A key that may only search, if there is one to be seen: it is the one to paste about. */
async function keyForSearching(client: FindlingClient, own: string | undefined): Promise<string | undefined> {
  try {
    const keys = await client.listKeys();
    const readKey = keys.find(
      (key) => key.permissions === 1 && key.status === "active" && key.allowed_indexes.includes("*"),
    );
    return readKey?.key ?? own;
  } catch {
    // An ingest key may load the sample and may not list keys.
    return own;
  }
}

function describeAnswer(answer: SearchAnswer<SamplePackage>): string {
  const rows = answer.hits.map((hit) => [hit.score.toFixed(2), hit.doc.name, hit.doc.title]);
  const milliseconds = (answer.time_taken * 1000).toFixed(1);
  return `${formatTable(["score", "name", "title"], rows)}\n${formatCount(answer.count)} matches in ${milliseconds} ms`;
}
