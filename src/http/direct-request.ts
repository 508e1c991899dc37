import type { ServerResponse } from "node:http";
import type { SentBody } from "../contract/sent-body.js";
import type { Authority } from "../services/keys/authority.js";
import type { KeyService } from "../services/keys/key-service.js";
import { authorize } from "./authorize.js";
import type { BodyBudget, BodyLease } from "./body/body-budget.js";
import type { EagerMessage } from "./body/eager-message.js";
import { type BodyReader, readBodyEagerly } from "./body/read-body.js";
import { sentBodyOf } from "./body/read-json-body.js";
import type { ClientAddresses } from "./client-addresses.js";
import type { Cors } from "./cors.js";
import { errorAnswer, reportedError } from "./error-response.js";
import type { HandledRequest } from "./handled-request.js";
import { WrittenAnswer } from "./json-text.js";
import type { Logger } from "./log/logger.js";
import type { PlainRoute } from "./plain-route.js";
import { ResponseCaller } from "./request-caller.js";
import { requestClient } from "./request-client.js";
import type { RequestWatch } from "./request-watch.js";
import type { RouteAnswer, RouteCall } from "./route-handler.js";
import { successAnswer } from "./success-answer.js";
import { type AnswerHead, headersOf, type WholeAnswers } from "./whole-answers.js";

export interface DirectRequestOptions {
  readonly keys: KeyService;
  readonly logger: Logger;
  readonly watch: RequestWatch;
  readonly cors: Cors;
  readonly addresses: ClientAddresses;
  readonly budget: BodyBudget;
  readonly bodyBytesMax: number;
  readonly answers: WholeAnswers;
  readonly nextId: () => string;
}

/** Nothing of it was asked for. */
const NO_QUERY = {};

/** One request on its way through a direct route, without a promise unless something has to be waited for. */
export class DirectRequest implements BodyReader {
  readonly #options: DirectRequestOptions;
  readonly #route: PlainRoute;
  readonly #request: EagerMessage;
  readonly #response: ServerResponse;
  readonly #parameters: RouteCall["parameters"];
  readonly #head: AnswerHead;
  readonly #lease: BodyLease;
  #authority: Authority | null = null;

  constructor(
    options: DirectRequestOptions,
    route: PlainRoute,
    value: string,
    { request, response }: { readonly request: EagerMessage; readonly response: ServerResponse },
  ) {
    this.#options = options;
    this.#route = route;
    this.#request = request;
    this.#response = response;
    this.#parameters = { [route.parameter]: value };
    this.#head = { cors: options.cors.listFor(request.headers.origin), requestId: options.nextId() };
    this.#lease = options.budget.lease();
  }

  /** Checks the key, and answers once the body is there. */
  begin(): void {
    const { keys, watch, bodyBytesMax } = this.#options;
    const request = this.#request;
    watch.begin(this.#response, () => this.#handled());
    try {
      const { authorization: authorizationHeader } = request.headers;
      const parameters = this.#parameters;
      this.#authority = authorize(keys, this.#route.row, { authorizationHeader, parameters });
    } catch (error) {
      this.#refuse(error, false);
      return;
    }
    readBodyEagerly(request, bodyBytesMax, this.#lease, this);
  }

  onRefusal(error: unknown): void {
    this.#refuse(error, true);
  }

  onBody(bytes: Buffer): void {
    try {
      const body = sentBodyOf(this.#request, bytes, this.#lease);
      if (body instanceof Promise)
        body.then((awaited) => this.#handle(awaited)).catch((error: unknown) => this.#refuse(error, true));
      else this.#handle(body);
    } catch (error) {
      this.#refuse(error, true);
    }
  }

  /** Never throws. */
  #handle(sentBody: SentBody): void {
    try {
      const answer = this.#route.handler({
        authority: this.#authority!,
        client: requestClient(this.#request.headers, this.#options.addresses.of(this.#request)),
        caller: new ResponseCaller(this.#response),
        parameters: this.#parameters,
        query: NO_QUERY,
        sentBody,
        get body() {
          return sentBody.value;
        },
      });
      if (answer instanceof Promise) {
        answer.then((awaited) => this.#send(awaited)).catch((error: unknown) => this.#refuse(error, false));
      } else {
        this.#send(answer);
      }
    } catch (error) {
      this.#refuse(error, false);
    }
  }

  #send(answer: Awaited<RouteAnswer>): void {
    if (answer instanceof WrittenAnswer) this.#options.answers.send(this.#response, this.#head, answer);
    else this.#sendText(200, headersOf(this.#head), successAnswer(answer, this.#route.row.mirrored));
    this.#lease.release();
  }

  /** @param isReading whether the body isn't there yet, or can't be taken */
  #refuse(thrown: unknown, isReading: boolean): void {
    const error = reportedError(this.#options.logger, this.#head.requestId, thrown);
    const { status, headers: own, text } = errorAnswer(error);
    const headers = headersOf(this.#head);
    headers.push(...own);
    // Who is still sending may go on for long; but what was refused for want of memory is let through, so that
    // the sender sees why, and what isn't JSON came whole.
    if (error.code === "rate_limited") this.#response.shouldKeepAlive = true;
    else if (isReading && error.code !== "invalid_json") headers.push("connection", "close");
    this.#sendText(status, headers, text);
    this.#lease.release();
  }

  #sendText(status: number, headers: string[], body: string | Buffer): void {
    const response = this.#response;
    if (response.destroyed) return;
    const length = Buffer.byteLength(body);
    headers.push("content-length", String(length));
    response.writeHead(status, headers);
    // Of as many bytes as characters, it is ASCII, which is written in half the time of UTF-8.
    response.end(body, length === body.length ? "latin1" : "utf8");
  }

  #handled(): HandledRequest {
    const { path, operationId } = this.#route.row;
    const { requestId: id } = this.#head;
    return { id, method: "POST", url: this.#request.url!, route: path, operation: operationId };
  }
}
