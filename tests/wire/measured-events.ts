import type { ParsedJson, WireServer } from "./wire-server.js";

/** A usage event that is valid, with these members besides. */
export function measureEvent(
  eventName: string,
  properties: object = {},
  more: { readonly user?: object; readonly [name: string]: unknown } = {},
): object {
  const { user, ...rest } = more;
  return {
    event_name: eventName,
    properties: { searchcraft_index_names: ["books"], ...properties },
    user: { user_id: "u", ...user },
    ...rest,
  };
}

/** Every event that the store has, by time. */
export async function exportedEvents(
  server: WireServer,
  query = "",
  key?: string,
): Promise<readonly ParsedJson[]> {
  const answer = await server.get(`/measure/export${query}`, key);
  if (answer.status !== 200) throw new Error(`the export failed: ${answer.text}`);
  return answer.text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ParsedJson);
}

/** What is accepted shows within five seconds (contract 3.10), where the machine isn't busy: this ends what never shows. */
const SHOWN_WITHIN_MS = 60_000;

/** The events once there are so many. @throws Error if they don't come in time, or more come */
export async function eventsOnceThere(
  server: WireServer,
  count: number,
  query = "",
  key?: string,
): Promise<readonly ParsedJson[]> {
  const deadline = performance.now() + SHOWN_WITHIN_MS;
  for (;;) {
    const events = await exportedEvents(server, query, key);
    if (events.length === count) return events;
    if (events.length > count || performance.now() > deadline) {
      throw new Error(
        `there are ${events.length} events, not ${count}: ${JSON.stringify(events.slice(0, 20))}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
