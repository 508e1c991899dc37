import type { IncomingHttpHeaders } from "node:http";
import type { OperationId, RouteTag, TaggedOperations } from "../../contract/route-table.js";
import type { Authority } from "../../services/authority/authority.js";
import type { RequestClient, RequestOrigin } from "../../services/measure/request-origin.js";
import type { JsonText, WrittenAnswer } from "../answers/envelope.js";
import type { ByteStream, TextStream } from "../answers/streamed-answers.js";
import type { WebAnswer } from "../answers/web-answer.js";
import type { EventStream } from "../event-stream/event-frames.js";
import type { RequestCaller } from "../hooks/request-client.js";

/** A request as a handler sees it: transport, key, permission and scope are settled. */
export interface RouteCall {
  readonly authority: Authority;
  /** What the request tells of the person behind it; unchecked. */
  readonly client: RequestClient;
  /** Whether somebody still waits for the answer. */
  readonly caller: RequestCaller;
  /** Whether it comes from this machine, through nobody else (`isLocalRequest`). */
  readonly isLocal: boolean;
  /** As they came, names in small letters. Empty on the short way, of whose routes none looks at them. */
  readonly headers: IncomingHttpHeaders;
  /** What the path gives, decoded once. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What the URL gives, decoded: a string, or a list of strings where a name comes several times. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Parsed JSON, or a large body as an `UnreadBody` if it is documents; undefined where nothing was sent or the route takes no body. Its shape is the service's business. Look at it once: it may be parsed with each look. */
  readonly body: unknown;
}

/** What goes into `data`: a JSON value, or JSON text to be spliced in. Or events, text, a file or another protocol's answer, in place of all that. */
export type RouteAnswer =
  | ByteStream
  | EventStream
  | TextStream
  | WebAnswer
  | JsonText
  | WrittenAnswer
  | string
  | object;

export type RouteHandler = (call: RouteCall) => RouteAnswer | Promise<RouteAnswer>;

/** One handler for every row of the route table. */
export type RouteHandlers = Readonly<Record<OperationId, RouteHandler>>;

/** The handlers of those under a tag. */
export type HandlersOf<Tag extends RouteTag> = Pick<RouteHandlers, TaggedOperations[Tag]>;

/** The value of a path parameter that the route's path has. */
export function parameter(call: RouteCall, name: string): string {
  const value = call.parameters[name];
  if (value === undefined) throw new TypeError(`the route has no path parameter '${name}'`);
  return value;
}

/**
 * What a usage event keeps of the request until it is stored: the call itself would keep Node's request, response and
 * their buffers for as long, which the garbage collector copies meanwhile.
 */
export function originOf({ authority, client }: RouteCall): RequestOrigin {
  return { authority, client };
}
