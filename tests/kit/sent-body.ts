import { SentBody } from "../../src/contract/sent-body.js";

/** A body as a client would send the value. */
export function sentBody(value: unknown): SentBody {
  return SentBody.ofText(JSON.stringify(value), () => value);
}
