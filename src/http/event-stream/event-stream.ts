/** One event; its data is a JSON object. */
export interface ServerEvent {
  readonly name: string;
  readonly data: object;
}

/** An answer that is not one JSON document but a stream of server-sent events (contract 3.6). */
export interface EventStreamSource {
  /** The events; called once. With the signal's abort, which is the reader's leaving, they end. */
  events(signal: AbortSignal): AsyncIterable<ServerEvent>;
  /** What is told last where the server has to end the stream: it stops, or something went wrong in it. */
  lastWords(reason: "stopping" | "failed"): ServerEvent;
}

/** What a route's handler returns to have its answer streamed. */
export class EventStream {
  readonly source: EventStreamSource;

  constructor(source: EventStreamSource) {
    this.source = source;
  }
}

/** The event's frame: no `id`, no `retry`, and no raw line break in the data, as JSON escapes them. */
export function frameOf({ name, data }: ServerEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
