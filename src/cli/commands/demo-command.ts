import type { SearchAnswer } from "../../client/index.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { loadSample } from "../demo/load-sample.js";
import { SAMPLE_SEARCHES } from "../demo/sample-searches.js";
import { curlCommand, readKeyLine } from "../pasted-search.js";
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
  const { client, url } = await connect(options);
  const { index } = options;
  const loaded = await loadSample(client, index, { reset: options.reset === true });
  const { document_count } = await client.getIndexStats(index);
  const [first] = SAMPLE_SEARCHES;
  const answer = await client.searchIndex<SamplePackage>(index, first!.body);
  const address = `${url}/index/${index}/search`;
  output.result(
    { index, documents: document_count, loaded, searches: SAMPLE_SEARCHES, first_answer: answer },
    [
      `${formatCount(document_count)} packages of Debian 12 ${loaded ? "are now" : "were already"} in index '${index}'`,
      "",
      `${first!.title}: ${JSON.stringify(first!.body.query)}`,
      describeAnswer(answer),
      "",
      "to try it yourself, paste this first, which puts the key for searching into a variable,",
      `then any of the searches; there is more at ${url}/docs`,
      "",
      await readKeyLine(client, index, options),
      ...SAMPLE_SEARCHES.flatMap(({ title, body }) => ["", `# ${title}`, curlCommand(address, body)]),
    ].join("\n"),
  );
}

function describeAnswer(answer: SearchAnswer<SamplePackage>): string {
  const rows = answer.hits.map((hit) => [hit.score.toFixed(2), hit.doc.name, hit.doc.title]);
  const milliseconds = (answer.time_taken * 1000).toFixed(1);
  return `${formatTable(["score", "name", "title"], rows)}\n${formatCount(answer.count)} matches in ${milliseconds} ms`;
}
