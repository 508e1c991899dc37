/** Each head says the request's own id, length and page, and the time, whatever the ones before it said. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { headersOf, JSON_TYPE } from "../answers/envelope.js";
import { HeadPatterns } from "./answer-batch.js";

const CORS = [
  [],
  ["access-control-allow-origin", "*"],
  ["access-control-allow-origin", "https://a.example", "vary", "origin"],
];
const asked = fc.record({
  cors: fc.constantFrom(...CORS),
  requestId: fc.stringMatching(/^[0-9a-f]{8}-[0-9a-z]{1,4}$/),
  bodyLength: fc.oneof(
    fc.nat({ max: 12 }),
    fc.nat({ max: 200_000 }),
    fc.constantFrom(9_999, 10_000, 2 ** 33),
  ),
  second: fc.constantFrom(0, 1, 1_700_000_000),
});

test("is the head that Node would write", () => {
  const patterns = new HeadPatterns(5);
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 30 }), (heads) => {
        for (const { cors, requestId, bodyLength, second } of heads) {
          vi.setSystemTime(second * 1000 + 999);
          const lines = ["HTTP/1.1 200 OK"];
          const headers = [...headersOf({ cors, requestId }), "content-type", JSON_TYPE];
          for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
          lines.push(`content-length: ${bodyLength}`, `Date: ${new Date(second * 1000).toUTCString()}`);
          lines.push("Connection: keep-alive", "Keep-Alive: timeout=5", "", "");
          const head = patterns.headOf({ cors, requestId }, bodyLength);
          expect(Buffer.from(head).toString("latin1")).toBe(lines.join("\r\n"));
        }
      }),
    );
  } finally {
    vi.useRealTimers();
  }
});
