import { describe, expect, test } from "vitest";
import { refused, retryAfterOf, statusError, streamError } from "./model-errors.js";

const NOW = Date.UTC(2026, 0, 1);

test.each([
  [{ "retry-after": "7" }, 7],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "0.2" }, 1],
  [{ "retry-after": "Thu, 01 Jan 2026 00:01:30 GMT" }, 90],
  [{ "retry-after": "Wed, 31 Dec 2025 23:00:00 GMT" }, 0],
  [{ "retry-after": "99999999999" }, 86_400],
  [{ "retry-after-ms": "2500", "retry-after": "9" }, 3],
  [{ "retry-after-ms": "soon", "retry-after": "9" }, 9],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "retry-after": "Infinity" }, undefined],
  [{}, undefined],
])("%o asks to wait %s seconds", (headers, seconds) => {
  expect(retryAfterOf(headers, NOW)).toBe(seconds);
});

test.each([
  [302, "model_unavailable"],
  [400, "model_refused"],
  [403, "model_refused"],
  [408, "model_unavailable"],
  [413, "model_refused"],
  [422, "model_refused"],
  [429, "model_overloaded"],
  [502, "model_unavailable"],
  [503, "model_overloaded"],
  [529, "model_overloaded"],
])("status %i is %s", (status, code) => {
  expect(statusError(status).code).toBe(code);
});

describe("what the SDK throws or sends is known by", () => {
  const own = refused("own");

  test.each([
    ["an error of ours, however deep", { cause: { cause: own, statusCode: 500 } }, "model_refused"],
    ["its status", Object.assign(new Error("CANARY"), { statusCode: 429 }), "model_overloaded"],
    ["the status of its cause", { cause: { statusCode: 401 } }, "model_refused"],
    ["its type", { type: "overloaded_error", message: "CANARY" }, "model_overloaded"],
    ["its code", { code: "invalid_api_key" }, "model_refused"],
    [
      "the event that it could not place",
      { value: { error: { type: "rate_limit_error" } } },
      "model_overloaded",
    ],
    ["nothing", new Error("CANARY"), "model_unavailable"],
    ["nothing, where the answer was 200", { statusCode: 200 }, "model_unavailable"],
    ["nothing", "CANARY", "model_unavailable"],
    ["nothing", undefined, "model_unavailable"],
  ])("%s", (_by, thrown, code) => {
    const error = streamError(thrown);
    expect(error.code).toBe(code);
    expect(error.message + error.details).not.toContain("CANARY");
    expect(error.cause).toBeUndefined();
  });

  test("the names beside it", () => {
    expect(streamError({ message: "CANARY" }, ["throttlingException"]).code).toBe("model_overloaded");
    expect(streamError({ message: "CANARY" }, ["validationException"]).code).toBe("model_refused");
    expect(streamError({ message: "CANARY" }, ["internalServerException"]).code).toBe("model_unavailable");
  });

  test("nothing, where causes go round in a circle", () => {
    const circle: { cause?: unknown } = {};
    circle.cause = circle;
    expect(streamError(circle).code).toBe("model_unavailable");
  });
});
