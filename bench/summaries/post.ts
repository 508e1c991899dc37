import { type Agent, type IncomingMessage, request } from "node:http";

export interface Target {
  readonly url: string;
  readonly key: string;
}

/** The server told the sender to come again (429). */
export class WasRefused extends Error {}

/**
 * The answer's head; its body is to be read. Node's own client, as `fetch` would take half of the processor.
 *
 * @throws WasRefused
 */
export function post(target: Target, body: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(target.url, {
      method: "POST",
      agent: agent ?? false,
      headers: {
        authorization: target.key,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      },
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      if (response.statusCode === 200) return resolve(response);
      response.resume();
      const Refusal = response.statusCode === 429 ? WasRefused : Error;
      reject(new Refusal(`${target.url} was answered with ${response.statusCode}`));
    });
    sent.end(body);
  });
}

/** Milliseconds until the whole answer is there. */
export async function timeOf(target: Target, body: string, agent?: Agent): Promise<number> {
  const start = performance.now();
  for await (const _ of await post(target, body, agent));
  return performance.now() - start;
}
