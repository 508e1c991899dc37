import type { SearchAnswer } from "../../client/index.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { type LoadedEvents, loadEvents } from "../demo/events/load-events.js";
import { loadSample } from "../demo/load-sample.js";
import { SAMPLE_SEARCHES } from "../demo/sample-searches.js";
import { curlCommand, readKeyLine } from "../pasted-search.js";
import { formatCount } from "../terminal/format-amount.js";
import { formatTable } from "../terminal/format-table.js";
import type { Output } from "../terminal/output.js";

export interface DemoOptions extends ConnectionOptions {
  readonly index: string;
  readonly reset?: boolean;
  /** A month of made-up usage events as well. */
  readonly events?: boolean;
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
  const events = options.events === true ? await loadEvents(client, index) : undefined;
  const { document_count } = await client.getIndexStats(index);
  const [first] = SAMPLE_SEARCHES;
  const answer = await client.searchIndex<SamplePackage>(index, first!.body);
  const address = `${url}/index/${index}/search`;
  output.result(
    {
      index,
      documents: document_count,
      loaded,
      searches: SAMPLE_SEARCHES,
      first_answer: answer,
      ...(events !== undefined && { events }),
    },
    [
      `${formatCount(document_count)} packages of Debian 12 ${loaded ? "are now" : "were already"} in index '${index}'`,
      "",
      `${first!.title}: ${JSON.stringify(first!.body.query)}`,
      describeAnswer(answer),
      "",
      ...(events === undefined
        ? []
        : [describeEvents(events, `${url}/measure/dashboard/summary`, index), ""]),
      "to try it yourself, paste this first, which puts the key for searching into a variable,",
      `then any of the searches; there is more at ${url}/docs`,
      "",
      await readKeyLine(client, index, options),
      ...SAMPLE_SEARCHES.flatMap(({ title, body }) => ["", `# ${title}`, curlCommand(address, body)]),
    ].join("\n"),
  );
}

function describeEvents({ events, summary }: LoadedEvents, address: string, index: string): string {
  const verb = events > 0 ? `${formatCount(events)} usage events are now` : "usage events were already";
  const rate = (summary.click_through_rate * 100).toFixed(0);
  const rows = summary.popular_search_terms.map((term) => [formatCount(term.count), term.search_term]);
  return [
    `${verb} on the server, a made-up month of searching '${index}':`,
    `${formatCount(summary.total_searches)} searches by ${formatCount(summary.active_users)} people, ${rate} clicks for 100 searches,`,
    `${formatCount(summary.searches_without_results)} searches without results; searched most:`,
    formatTable(["searches", "term"], rows),
    "the dashboard, with an admin or ingest key:",
    `curl -s '${address}?index_names=${index}' -H "Authorization: $FINDLING_ADMIN_KEY"`,
  ].join("\n");
}

function describeAnswer(answer: SearchAnswer<SamplePackage>): string {
  const rows = answer.hits.map((hit) => [hit.score.toFixed(2), hit.doc.name, hit.doc.title]);
  const milliseconds = (answer.time_taken * 1000).toFixed(1);
  return `${formatTable(["score", "name", "title"], rows)}\n${formatCount(answer.count)} matches in ${milliseconds} ms`;
}
