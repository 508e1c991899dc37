import type { ServerResponse } from "node:http";
import type { EagerMessage } from "./body/eager-message.js";
import { DirectRequest, type DirectRequestOptions } from "./direct-request.js";
import type { PlainRoute } from "./plain-route.js";

export interface DirectRoutesOptions extends DirectRequestOptions {
  readonly routes: readonly PlainRoute[];
}

/**
 * Answers what is asked most straight from Node's server, with the same checks, handlers, headers and answers
 * as the framework's route: that would take as long as the search itself (ADR 26). Only a path that is written
 * plainly is taken; every other way of writing it is the framework's business.
 */
export class DirectRoutes {
  readonly #options: DirectRoutesOptions;
  readonly #routes: readonly PlainRoute[];

  constructor(options: DirectRoutesOptions) {
    this.#options = options;
    this.#routes = options.routes;
  }

  /** @returns false where the request is for somebody else to answer */
  take(request: EagerMessage, response: ServerResponse): boolean {
    if (request.method !== "POST") return false;
    const url = request.url ?? "";
    for (const route of this.#routes) {
      const value = route.valueIn(url);
      if (value === null) continue;
      new DirectRequest(this.#options, route, value, { request, response }).begin();
      return true;
    }
    return false;
  }
}
