import type { RouteRow } from "../contract/route-table.js";
import type { RouteHandler } from "./route-handler.js";

/** A route that is answered directly: its path has one parameter, its answers are JSON. */
export interface DirectRoute {
  readonly row: RouteRow;
  readonly handler: RouteHandler;
}

/** A path with one parameter, found in URLs that hold nothing that would have to be decoded. */
export class PlainRoute implements DirectRoute {
  readonly row: RouteRow;
  readonly handler: RouteHandler;
  readonly parameter: string;
  readonly #before: string;
  readonly #after: string;

  constructor({ row, handler }: DirectRoute) {
    const [, before, parameter, after] = /^([^:]*):(\w+)([^:]*)$/.exec(row.path) ?? [];
    if (before === undefined || parameter === undefined || after === undefined || row.method !== "POST")
      throw new TypeError(`the route ${row.method} ${row.path} can't be answered directly`);
    this.row = row;
    this.handler = handler;
    this.parameter = parameter;
    this.#before = before;
    this.#after = after;
  }

  /** The parameter's value; null where the URL is another's, or not written plainly. */
  valueIn(url: string): string | null {
    if (!url.startsWith(this.#before) || !url.endsWith(this.#after)) return null;
    const value = url.slice(this.#before.length, url.length - this.#after.length);
    return PLAIN_VALUE.test(value) ? value : null;
  }
}

const PLAIN_VALUE = /^[\w.-]+$/;
