import { describe, expect, test } from "vitest";
import { isLocalRequest } from "./local-request.js";

describe("local are requests from this machine to it by its own name", () => {
  test.each([
    ["127.0.0.1", { host: "127.0.0.1:8000" }],
    ["127.9.9.9", { host: "localhost" }],
    ["::1", { host: "[::1]:8000", origin: "http://[::1]:8000" }],
    ["::ffff:127.0.0.1", { host: "localhost:8000", origin: "http://localhost:8000" }],
  ])("%s %j", (address, headers) => {
    expect(isLocalRequest(headers, address)).toBe(true);
  });

  test.each([
    [undefined, { host: "localhost" }],
    ["10.0.0.7", { host: "localhost" }],
    ["127.0.0.1.example", { host: "localhost" }],
    ["127.0.0.1", {}],
    ["127.0.0.1", { host: "evil.example:8000" }],
    ["127.0.0.1", { host: "localhost.evil.example" }],
    ["127.0.0.1", { host: "localhost:8000", origin: "http://evil.example" }],
    ["127.0.0.1", { host: "localhost:8000", origin: "null" }],
    ["127.0.0.1", { host: "localhost:8000", "x-forwarded-for": "1.2.3.4" }],
    ["127.0.0.1", { host: "localhost:8000", via: "1.1 proxy" }],
    ["127.0.0.1", { host: "localhost:8000", forwarded: "for=1.2.3.4" }],
  ])("not %s %j", (address, headers) => {
    expect(isLocalRequest(headers, address)).toBe(false);
  });
});
