// A provider is who its certificate says, or nothing is sent to it.
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AiSdkLanguageModels } from "../../src/adapters/language-models/ai-sdk-language-models.js";
import { ASKED } from "./dialects/dialect.js";
import { failureOf } from "./failure.js";

/** With FINDLING_TEST_ALL=1 it must be there. */
const isSkipped = process.env["FINDLING_TEST_ALL"] !== "1" && spawnSync("openssl", ["version"]).status !== 0;

let server: Server;
let requests = 0;

beforeAll(async () => {
  if (isSkipped) return;
  const folder = mkdtempSync(join(tmpdir(), "findling-certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  // The name is right; nobody vouches for it.
  const names = ["-subj", "/CN=llm.example", "-addext", "subjectAltName=DNS:llm.example"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
    requests++;
    response.end();
  });
  rmSync(folder, { recursive: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server?.close();
});

test.skipIf(isSkipped)("a certificate that nobody vouches for (needs openssl)", async () => {
  const origin = `https://llm.example:${(server.address() as AddressInfo).port}`;
  const lookup = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
  const models = new AiSdkLanguageModels({ gateways: {}, allowedOrigins: [origin], lookup });
  const call = { provider: "openai", model: "m", baseUrl: `${origin}/v1`, ...ASKED } as const;
  const { error } = await failureOf(models.stream(call, new AbortController().signal), "model_unavailable");
  expect(error.details).toBe("the provider's certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)");
  expect(requests).toBe(0);
});
