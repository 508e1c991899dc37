// Contract 4.4: an index names a base URL of its language model only within what the operator allows.
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ llmAllowedBaseUrls: ["https://llm.example:8443"] });
});
afterAll(() => server.stopAndRemove());

const create = (llm_base_url: string) =>
  server.post("/index", {
    index: {
      name: "books",
      fields: { id: { type: "text" } },
      ai: { llm_provider: "ollama", llm_base_url, model: "m" },
    },
    override_if_exists: true,
  });

test("what the setting names is allowed, and nothing else, the default included", async () => {
  const allowed = await create("https://llm.example:8443/v1");
  expect(allowed.status, allowed.text).toBe(200);
  for (const url of ["http://localhost:11434", "https://llm.example", "http://llm.example:8443"]) {
    expectError(await create(url), 400, "invalid_schema");
  }
});
