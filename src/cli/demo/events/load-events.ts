import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import type { FindlingClient, MeasureEventDraft, SummaryDashboard } from "../../../client/index.js";
import { CliError } from "../../cli-error.js";
import { isCertainlyUndone, RETRY_SECONDS_MAX, retrying } from "../../import/retry.js";
import { SAMPLE_DAYS, sampleMonth } from "./sample-month.js";
import { SAMPLE_APPLICATION } from "./sample-session.js";
import type { SamplePackage } from "./sample-terms.js";

const PACKAGES = new URL("../../../../demo/packages.jsonl.gz", import.meta.url);
const SEED = 20_240_501;
const BATCH_EVENTS = 500;
const DAY_MS = 86_400_000;
/** What is accepted shows within five seconds; a busy machine gets more. */
const SHOWN_WITHIN_MS = 20_000;
const POLL_MS = 250;

export interface LoadedEvents {
  /** Sent now; 0 where the server had them already. */
  readonly events: number;
  readonly summary: SummaryDashboard;
}

/**
 * Sends a month of made-up use of the sample to the server's measure endpoints, unless the server has
 * some, and reads what its dashboard makes of them. The events say themselves when they were, which
 * takes an admin key.
 *
 * @throws CliError `measure_off` if the server keeps no events
 */
export async function loadEvents(client: FindlingClient, index: string): Promise<LoadedEvents> {
  if (!(await client.getMeasureStatus()).enabled) {
    throw new CliError(
      "measure_off",
      "measuring is switched off on this server; start it without FINDLING_MEASURE=off",
    );
  }
  const end = Math.floor(Date.now() / 1000) * 1000;
  const known = await dashboard(client, index, end);
  if (known.total_searches > 0) return { events: 0, summary: known };
  const sent = await sendAll(
    client,
    sampleMonth({ packages: await samplePackages(), index, end, seed: SEED }),
  );
  return {
    events: sent.events,
    summary: await onceThere(sent.searches, () => dashboard(client, index, end)),
  };
}

function dashboard(client: FindlingClient, index: string, end: number): Promise<SummaryDashboard> {
  return client.getSummaryDashboard({
    index_names: [index],
    application_id: SAMPLE_APPLICATION,
    date_start: (end - SAMPLE_DAYS * DAY_MS) / 1000,
    date_end: end / 1000,
    rpp: 5,
  });
}

async function sendAll(
  client: FindlingClient,
  events: Iterable<MeasureEventDraft>,
): Promise<{ readonly events: number; readonly searches: number }> {
  let searches = 0;
  let sent = 0;
  let batch: MeasureEventDraft[] = [];
  const send = async (): Promise<void> => {
    if (batch.length === 0) return;
    const whole = batch;
    batch = [];
    await retrying(() => client.recordMeasureBatch(whole), {
      isRetryable: isCertainlyUndone,
      secondsMax: RETRY_SECONDS_MAX,
    });
    sent += whole.length;
  };
  for (const event of events) {
    if (event.event_name === "search_completed") searches++;
    batch.push(event);
    if (batch.length === BATCH_EVENTS) await send();
  }
  await send();
  return { events: sent, searches };
}

/** The dashboard once it counts so many searches, or as it is after a while. */
async function onceThere(searches: number, ask: () => Promise<SummaryDashboard>): Promise<SummaryDashboard> {
  const deadline = performance.now() + SHOWN_WITHIN_MS;
  for (;;) {
    const summary = await ask();
    if (summary.total_searches >= searches || performance.now() > deadline) return summary;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function samplePackages(): Promise<readonly SamplePackage[]> {
  const packages: SamplePackage[] = [];
  const lines = createInterface({ input: createReadStream(PACKAGES).pipe(createGunzip()) });
  for await (const line of lines) if (line !== "") packages.push(JSON.parse(line) as SamplePackage);
  return packages;
}
