import type { SummaryEvent } from "../contract/summary.js";
import type { FindlingClientError } from "./findling-client-error.js";

/**
 * The events of a summary's stream as they come; the last is `done` or `error`. Ending the iteration early
 * closes the connection.
 *
 * @param broken what is thrown if the connection breaks before the last event
 */
export async function* summaryEvents(
  bytes: ReadableStream<Uint8Array>,
  broken: (cause?: unknown) => FindlingClientError,
): AsyncGenerator<SummaryEvent, void, undefined> {
  const decoder = new TextDecoder();
  const reader = bytes.getReader();
  let pending = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((failure: unknown) => {
        throw broken(failure);
      });
      pending += decoder.decode(value, { stream: !done });
      const frames = pending.split("\n\n");
      pending = frames.pop() ?? "";
      for (const frame of frames) {
        const event = eventOf(frame);
        if (event !== undefined) yield event;
        if (event?.name === "done" || event?.name === "error") return;
      }
      if (done) throw broken();
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined for comments and events of names that this client doesn't know. */
function eventOf(frame: string): SummaryEvent | undefined {
  const match = /^event: (metadata|delta|model_call|sources|done|error)\ndata: (.*)$/.exec(frame);
  return match === null
    ? undefined
    : ({ name: match[1], data: JSON.parse(match[2]!) as unknown } as SummaryEvent);
}
