// Properties: with a certificate and its key every request comes encrypted, the short way's included; files that change
// are read again, also by renaming, and one that doesn't fit leaves the last good one in use; who speaks something else
// holds nobody up; a start with files that can't be used says which.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { READ, WireServer } from "./wire-server.js";

/** With FINDLING_TEST_ALL=1 it must be there. */
const isSkipped = process.env["FINDLING_TEST_ALL"] !== "1" && spawnSync("openssl", ["version"]).status !== 0;

let folder: string;
let server: WireServer;
let files: { readonly tlsCertificateFile: string; readonly tlsKeyFile: string };

/** Writes a certificate for localhost and its key. */
function certificateOf(name: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const names = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", certificate], {
    stdio: "ignore",
  });
  return { certificate, key };
}

beforeAll(async () => {
  if (isSkipped) return;
  folder = mkdtempSync(join(tmpdir(), "findling-tls-"));
  const { certificate, key } = certificateOf("first");
  files = { tlsCertificateFile: join(folder, "server.pem"), tlsKeyFile: join(folder, "server.key") };
  renameSync(certificate, files.tlsCertificateFile);
  renameSync(key, files.tlsKeyFile);
  server = await WireServer.start(files);
});
afterAll(async () => {
  if (isSkipped) return;
  await server.stopAndRemove();
  rmSync(folder, { recursive: true });
});

interface EncryptedAnswer {
  readonly status: number;
  readonly text: string;
  readonly peer: PeerCertificate;
  readonly protocol: string | null;
}

function ask(method: string, path: string, body?: object): Promise<EncryptedAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, server.running.url),
      {
        method,
        // It vouches for itself.
        ca: readFileSync(files.tlsCertificateFile),
        rejectUnauthorized: false,
        agent: false,
        headers: { authorization: READ, "content-type": "application/json" },
      },
      (response) => {
        const { socket } = response;
        if (!(socket instanceof TLSSocket)) throw new TypeError("not encrypted");
        const [peer, protocol] = [socket.getPeerCertificate(), socket.getProtocol()];
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            peer,
            protocol,
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

test.skipIf(isSkipped)("requests of both ways in are answered", async () => {
  expect(server.running.url).toMatch(/^https:/);
  expect(await ask("GET", "/healthcheck")).toMatchObject({ status: 200, protocol: "TLSv1.3" });
  const search = await ask("POST", "/index/none/search", { query: "x" });
  expect(search).toMatchObject({ status: 404, text: expect.stringContaining("index_not_found") });
});

test.skipIf(isSkipped)("who doesn't encrypt gets nothing, and holds nobody up", async () => {
  const { port } = server.running.address;
  const plain = connect(port, "127.0.0.1");
  plain.on("error", () => {});
  const closed = new Promise((resolve) => plain.once("close", resolve));
  let bytes = 0;
  plain.on("data", (chunk: Buffer) => {
    bytes += chunk.toString("latin1").includes("HTTP/") ? 1 : 0;
  });
  plain.write("GET /healthcheck HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await closed;
  expect(bytes).toBe(0);
  expect((await ask("GET", "/healthcheck")).status).toBe(200);
});

test.skipIf(isSkipped)("files that change are read again, one that doesn't fit isn't used", async () => {
  const nameOf = async (): Promise<unknown> => (await ask("GET", "/healthcheck")).peer.subject.CN;
  expect(await nameOf()).toBe("first");
  writeFileSync(files.tlsCertificateFile, "no certificate");
  await expect
    .poll(() => server.logLines.some((line) => line.includes("stays in use")), { timeout: 30_000 })
    .toBe(true);
  expect(await nameOf()).toBe("first");
  const { certificate, key } = certificateOf("second");
  renameSync(key, files.tlsKeyFile);
  renameSync(certificate, files.tlsCertificateFile);
  await expect.poll(nameOf, { timeout: 30_000 }).toBe("second");
});

test.skipIf(isSkipped)("a start with files that can't be used says which", async () => {
  const tlsKeyFile = join(folder, "broken.key");
  writeFileSync(tlsKeyFile, "no key");
  for (const broken of [tlsKeyFile, join(folder, "absent.key")]) {
    const start = WireServer.start({ ...files, tlsKeyFile: broken });
    await expect(start).rejects.toMatchObject({
      code: "invalid_configuration",
      message: expect.stringContaining(broken),
    });
  }
});
