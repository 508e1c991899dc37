import { describe, expect, test } from "vitest";
import { Cors } from "./cors.js";

/** By name. */
function headersOf(cors: Cors, origin: string | undefined): Readonly<Record<string, string>> {
  const list = cors.headersFor(origin);
  return Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!]] : [])));
}

describe("Cors", () => {
  test("names any origin with a star, whoever asks", () => {
    const cors = new Cors(["*"]);
    expect(headersOf(cors, undefined)["access-control-allow-origin"]).toBe("*");
    expect(headersOf(cors, "https://a.example")["access-control-allow-origin"]).toBe("*");
  });

  test("names a listed origin back to itself, and caches by it", () => {
    const cors = new Cors(["https://a.example", "https://b.example"]);
    expect(headersOf(cors, "https://b.example")).toMatchObject({
      "access-control-allow-origin": "https://b.example",
      vary: "Origin",
    });
  });

  test("names no origin to a caller that is not listed", () => {
    const cors = new Cors(["https://a.example"]);
    for (const origin of [undefined, "https://a.example.evil", "null", "*"]) {
      expect(headersOf(cors, origin)).not.toHaveProperty("access-control-allow-origin");
      expect(headersOf(cors, origin)["vary"]).toBe("Origin");
    }
  });
});
