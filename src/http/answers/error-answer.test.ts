import { describe, expect, test } from "vitest";
import { CorruptionError, ERROR_CODES, FindlingError } from "../../errors/index.js";
import { asFindlingError, errorBody, statusOf } from "./error-answer.js";

describe("error answers", () => {
  test("every code has a status that says failure", () => {
    for (const code of ERROR_CODES) expect(statusOf(code), code).toBeGreaterThanOrEqual(400);
  });

  // Contract 1.5: clients read one place each, so all places agree; a top-level `error` breaks one of them.
  test("carry the message at every place that a client reads", () => {
    const error = new FindlingError("invalid_document", "it is wrong", {
      details: "the first one",
      items: [{ path: "[3].rating", message: "must be a number" }],
    });
    expect(errorBody(error)).toEqual({
      status: 400,
      message: "it is wrong",
      data: {
        error: "it is wrong",
        code: "invalid_document",
        details: "the first one",
        errors: [{ path: "[3].rating", message: "must be a number" }],
      },
    });
  });

  test("leave out what there is nothing to say about", () => {
    expect(errorBody(new FindlingError("not_found", "nothing there")).data).toEqual({
      error: "nothing there",
      code: "not_found",
    });
  });

  test("are cut to a readable length, never through a surrogate pair", () => {
    const { message } = errorBody(new FindlingError("query_syntax", `x${"😀".repeat(5000)}`));
    expect(message.length).toBeLessThanOrEqual(2001);
    expect(message).toMatch(/^x(😀)+…$/u);
  });

  test("name files by their names where the server fails, and leave the rest of the message and the cause", () => {
    const inner = new FindlingError(
      "storage_unavailable",
      "cannot write '/var/lib/secret/x.seg': the disk is full",
      {
        details: "EXDEV: rename 'secret/keys.json.tmp' -> 'C:\\secret\\keys.json'",
        items: [{ path: "a/b", message: "'secret/c' is 'gone'" }],
        retryAfterSeconds: 7,
      },
    );
    const error = asFindlingError(inner);
    expect(errorBody(error)).toMatchObject({
      status: 503,
      message: "cannot write 'x.seg': the disk is full",
      data: {
        details: "EXDEV: rename 'keys.json.tmp' -> 'keys.json'",
        errors: [{ path: "a/b", message: "'c' is 'gone'" }],
      },
    });
    expect([error.cause, error.retryAfterSeconds]).toEqual([inner, 7]);
    const plain = new FindlingError("storage_unavailable", "searching has stopped");
    expect(asFindlingError(plain)).toBe(plain);
    const refused = new FindlingError("unknown_field", "there is no field 'a/b'");
    expect(asFindlingError(refused)).toBe(refused);
  });

  test.each([
    new Error("ENOENT: /var/lib/findling/secret"),
    new TypeError("undefined is not a function"),
    "a string",
    null,
    undefined,
    { code: 42 },
    new CorruptionError("/var/lib/findling/secret", "cut at byte 3"),
    new FindlingError("storage_locked", "/var/lib/findling/secret is held by process 17"),
    new FindlingError("internal", "/var/lib/findling/secret"),
  ])("say nothing of the inside: %s", (thrown) => {
    const body = errorBody(asFindlingError(thrown));
    expect(body.status).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify(body)).not.toMatch(/secret|undefined is not|17/);
  });
});
