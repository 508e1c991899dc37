import { describe, expect, test } from "vitest";
import { Cors } from "./cors.js";

describe("Cors", () => {
  test("names any origin with a star, whoever asks", () => {
    const cors = new Cors(["*"]);
    expect(cors.headersFor(undefined)["access-control-allow-origin"]).toBe("*");
    expect(cors.headersFor("https://a.example")["access-control-allow-origin"]).toBe("*");
  });

  test("names a listed origin back to itself, and caches by it", () => {
    const cors = new Cors(["https://a.example", "https://b.example"]);
    expect(cors.headersFor("https://b.example")).toMatchObject({
      "access-control-allow-origin": "https://b.example",
      vary: "Origin",
    });
  });

  test("names no origin to a caller that is not listed", () => {
    const cors = new Cors(["https://a.example"]);
    for (const origin of [undefined, "https://a.example.evil", "null", "*"]) {
      expect(cors.headersFor(origin)).not.toHaveProperty("access-control-allow-origin");
      expect(cors.headersFor(origin)["vary"]).toBe("Origin");
    }
  });
});
