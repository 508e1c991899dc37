import { type Packing, packingFor } from "../answers/pack-answer.js";
import { announcesJson } from "../body/json-body.js";
import type { RouteCall } from "../routes/route-handler.js";
import type { PlainRoute } from "./plain-head.js";
import { HeadBytes, type PlainHead, plainHead } from "./plain-head.js";

/** What requests with the same head have in common. */
export interface RoutedHead extends PlainHead {
  readonly route: PlainRoute;
  readonly parameters: RouteCall["parameters"];
  /** How the answer is to be packed. */
  readonly packing: Packing | null;
  /** The headers of the first such head: the same object for all heads that differ in the body's length alone. */
  readonly sender: PlainHead["headers"];
  /** All that is true of this head is true of heads that are known by these, but for the body's length. */
  readonly bytes: HeadBytes;
}

/** Its value doesn't tell who sends. */
const BODY_LENGTH_LINE = /(\r\ncontent-length: ?)(\d+)/i;

/** What a head ends with. */
export const HEAD_END = "\r\n\r\n";

/** Heads that are remembered; beyond it all are forgotten. */
const REMEMBERED_MAX = 256;

/** Reads heads. A client's differ in the length of the body, if at all, so that most were read before. */
export class PlainHeads {
  readonly #routes: readonly PlainRoute[];
  readonly #known = new Map<string, RoutedHead | null>();
  /** By their heads without the body's length. */
  readonly #senders = new Map<string, PlainHead["headers"]>();

  constructor(routes: readonly PlainRoute[]) {
    this.#routes = routes;
  }

  /** @returns null where the request is for Node's parser and the framework to read */
  of(text: string): RoutedHead | null {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    // Before it is read: its sender is to be remembered with it.
    if (this.#known.size >= REMEMBERED_MAX) {
      this.#known.clear();
      this.#senders.clear();
    }
    const read = this.#read(text);
    this.#known.set(text, read);
    return read;
  }

  #read(text: string): RoutedHead | null {
    const head = plainHead(text);
    if (head === null || !announcesJson(head.headers["content-type"])) return null;
    for (const route of this.#routes) {
      const value = route.valueIn(head.url);
      if (value === null) continue;
      const line = BODY_LENGTH_LINE.exec(text)!;
      const lengthAt = line.index + line[1]!.length;
      const before = text.slice(0, lengthAt);
      const behind = text.slice(lengthAt + line[2]!.length);
      const sender = this.#senderOf(`${before}${behind}`, head);
      const bytes = new HeadBytes(before, `${behind}${HEAD_END}`);
      const packing = packingFor(head.headers["accept-encoding"]);
      return { ...head, packing, route, parameters: { [route.parameter]: value }, sender, bytes };
    }
    return null;
  }

  #senderOf(key: string, { headers }: PlainHead): PlainHead["headers"] {
    const known = this.#senders.get(key);
    if (known === undefined) this.#senders.set(key, headers);
    return known ?? headers;
  }
}
