// The made-up month is the same for the same seed, lies within the month, and has the shape of real use:
// few terms are frequent, weekends are quiet, clicks fall with the position, and some searches find nothing.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { MeasureEventDraft } from "../../../client/index.js";
import { parseMeasureEventBody } from "../../../contract/measure-body.js";
import { SAMPLE_DAYS, sampleMonth } from "./sample-month.js";
import type { SamplePackage } from "./sample-terms.js";

const END = Date.UTC(2024, 4, 15, 12);
const file = new URL("../../../../demo/packages.jsonl.gz", import.meta.url);
const packages = gunzipSync(readFileSync(file))
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as SamplePackage);

const month = (seed: number): MeasureEventDraft[] => [
  ...sampleMonth({ packages, index: "packages", end: END, seed }),
];
const events = month(7);
const timeOf = (event: MeasureEventDraft): number => Number(event.received_at) * 1000;
const named = (name: string): MeasureEventDraft[] => events.filter((event) => event.event_name === name);
const searches = named("search_completed");
const clicks = named("document_clicked");

function countBy<Key>(
  some: readonly MeasureEventDraft[],
  keyOf: (event: MeasureEventDraft) => Key,
): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const event of some) counts.set(keyOf(event), (counts.get(keyOf(event)) ?? 0) + 1);
  return counts;
}

test("the same seed gives the same month, another one another", () => {
  expect(JSON.stringify(month(7)) === JSON.stringify(events)).toBe(true);
  expect(JSON.stringify(month(8)) === JSON.stringify(events)).toBe(false);
});

test("every event is one that the server takes, within the month", () => {
  for (const event of events) parseMeasureEventBody(event);
  const times = events.map(timeOf);
  expect(times.filter((time) => time >= END || time < END - SAMPLE_DAYS * 86_400_000)).toEqual([]);
});

test("weekends are quieter, and nights in Europe and America too", () => {
  const byWeekday = countBy(searches, (event) => new Date(timeOf(event)).getUTCDay());
  expect(byWeekday.get(3)!).toBeGreaterThan(1.3 * byWeekday.get(0)!);
  const byHour = countBy(searches, (event) => new Date(timeOf(event)).getUTCHours());
  expect(byHour.get(14)!).toBeGreaterThan(1.5 * byHour.get(3)!);
});

test("few terms are frequent and many are rare; some find nothing", () => {
  const counts = [...countBy(searches, (event) => event.properties.search_term).values()].toSorted(
    (a, b) => b - a,
  );
  const top = counts.slice(0, 20).reduce((sum, count) => sum + count, 0);
  expect(top).toBeGreaterThan(0.15 * searches.length);
  expect(counts.filter((count) => count === 1).length).toBeGreaterThan(500);
  const fruitless = searches.filter((event) => event.properties.number_of_documents === 0);
  expect(fruitless.length).toBeGreaterThan(0.02 * searches.length);
  expect(fruitless.length).toBeLessThan(0.12 * searches.length);
});

test("the first results are clicked most, and clicks are on documents of the sample", () => {
  const byPosition = countBy(clicks, (event) => event.properties.document_position);
  for (const position of [1, 2, 3]) {
    expect(byPosition.get(position)!).toBeGreaterThan(byPosition.get(position + 1)!);
  }
  const ids = new Set(packages.map(({ id }) => id));
  expect(clicks.filter(({ properties }) => !ids.has(properties.external_document_id!))).toEqual([]);
});

test("people come back, and from several places and systems", () => {
  const visits = countBy(named("sdk_initialized"), (event) => event.user.user_id);
  expect(Math.max(...visits.values())).toBeGreaterThan(20);
  expect(countBy(searches, (event) => event.user.country).size).toBeGreaterThan(5);
  expect(countBy(searches, (event) => event.user.os).size).toBe(5);
});
