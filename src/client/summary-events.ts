import type { SummaryEvent } from "../contract/summary.js";
import { FindlingClientError } from "./findling-client-error.js";

/**
 * The events of a summary's stream as they come; the last is `done` or `error`. Ending the iteration early
 * closes the connection.
 *
 * @throws FindlingClientError if the connection breaks before the last event
 */
export async function* summaryEvents(
  bytes: ReadableStream<Uint8Array>,
): AsyncGenerator<SummaryEvent, void, undefined> {
  const decoder = new TextDecoder();
  const reader = bytes.getReader();
  let pending = "";
  try {
    for (;;) {
      const { done, value } = await read(reader);
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

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
  try {
    return await reader.read();
  } catch (failure) {
    throw broken(failure);
  }
}

/** Undefined for comments and events of names that this client doesn't know. */
function eventOf(frame: string): SummaryEvent | undefined {
  const match = /^event: (metadata|delta|sources|done|error)\ndata: (.*)$/.exec(frame);
  return match === null
    ? undefined
    : ({ name: match[1], data: JSON.parse(match[2]!) as unknown } as SummaryEvent);
}

function broken(cause?: unknown): FindlingClientError {
  return new FindlingClientError({
    status: 200,
    code: "connection_lost",
    message: "the summary's stream ended before its last event",
    cause,
  });
}
