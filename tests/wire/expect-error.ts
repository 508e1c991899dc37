import { expect } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../../src/errors/index.js";
import type { WireAnswer } from "./wire-server.js";

/** Contract 1.5: an error in the one envelope that satisfies every client, with this status and code. */
export function expectError(answer: WireAnswer, status: number, code?: ErrorCode): void {
  expect([answer.status, answer.json?.data?.code], answer.text).toEqual([
    status,
    code ?? answer.json?.data?.code,
  ]);
  expectErrorEnvelope(answer);
}

/** Any answer that isn't a success. */
export function expectErrorEnvelope(answer: WireAnswer): void {
  const { json } = answer;
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(Object.keys(json).toSorted()).toEqual(["data", "message", "status"]);
  expect(json.status).toBe(answer.status);
  // RFC 9110, 15.5.2: a 401 says how to do better.
  if (answer.status === 401) expect(answer.headers["www-authenticate"]).toBe('Bearer realm="findling"');
  expect(json.message).toMatch(/^[^\s].*[^.\s]$/s);
  expect(json.data.error).toBe(json.message);
  expect(ERROR_CODES).toContain(json.data.code);
  expect(["string", "undefined"]).toContain(typeof json.data.details);
  for (const item of json.data.errors ?? []) {
    expect(item).toEqual({ path: expect.any(String), message: expect.any(String) });
  }
}

/** Contract 1.4: exactly `{status, data}`. */
export function expectPlainSuccess(answer: WireAnswer, data: unknown): void {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.json).toEqual({ status: 200, data });
}
