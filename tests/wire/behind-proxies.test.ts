// Properties: behind nginx and Caddy with the files of deploy/, but for ports and certificates, searches, large bodies
// and the console work, and a summary's events come one by one.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChatReply, FakeChatServer } from "../kit/fake-chat-server.js";
import { ADMIN, WireServer } from "./wire-server.js";

const isThere = (program: string): boolean => {
  try {
    execFileSync(program, [program === "nginx" ? "-v" : "version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

let model: FakeChatServer;
let server: WireServer;
let folder = "";
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-proxies-"));
  model = await FakeChatServer.start();
  server = await WireServer.start({ llmAllowedBaseUrls: [model.origin], trustedProxies: ["127.0.0.1"] });
  // One for each, as summaries are kept.
  for (const name of Object.keys(PROXIES)) {
    await server.createIndex(name, { ai_enabled: true, ai: model.ai() });
    await server.addCommitted(name, [{ id: "1", title: "winter boots" }]);
  }
  const certificate = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  const of = ["-subj", "/CN=search.example", "-addext", "subjectAltName=DNS:search.example"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...certificate, ...of], {
    stdio: "ignore",
  });
});
afterAll(async () => {
  for (const child of running) {
    child.kill("SIGTERM");
    if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve));
  }
  await server.stopAndRemove();
  await model.close();
  await rm(folder, { recursive: true });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const deployed = (name: string): Promise<string> =>
  readFile(new URL(`../../deploy/${name}`, import.meta.url), "utf8");

const PROXIES: Readonly<Record<string, (port: number, upstream: number) => Promise<ChildProcess>>> = {
  nginx: async (port, upstream) => {
    const site = (await deployed("nginx.conf"))
      .replace("127.0.0.1:8000", `127.0.0.1:${upstream}`)
      .replaceAll("listen 443", `listen 127.0.0.1:${port}`)
      .replace(/\S+\/fullchain\.pem/, join(folder, "cert.pem"))
      .replace(/\S+\/privkey\.pem/, join(folder, "key.pem"));
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    const main = `daemon off; pid ${join(folder, "pid")}; error_log stderr;${process.getuid?.() === 0 ? " user root;" : ""}
events {} http { access_log off; ${places.join(" ")} ${site} }`;
    await writeFile(join(folder, "nginx.conf"), main);
    return spawn("nginx", ["-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")], {
      stdio: "ignore",
    });
  },
  caddy: async (port, upstream) => {
    const site = (await deployed("Caddyfile"))
      .replace("127.0.0.1:8000", `127.0.0.1:${upstream}`)
      .replace("search.example {", `search.example:${port} {\n\ttls ${folder}/cert.pem ${folder}/key.pem`);
    await writeFile(join(folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
    const home = join(folder, "caddy");
    await mkdir(home);
    return spawn("caddy", ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")], {
      stdio: "ignore",
      env: { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    });
  },
};

interface Answer {
  readonly status: number;
  readonly text: string;
}

describe.each(Object.entries(PROXIES))("behind %s", (name, start) => {
  describe.skipIf(!isThere(name) && process.env["FINDLING_TEST_ALL"] !== "1")(
    `(${name} is installed)`,
    () => {
      let port = 0;

      beforeAll(async () => {
        port = await freePort();
        running.push(await start(port, server.running.address.port));
      });

      function ask(
        method: string,
        path: string,
        body: string | Buffer = "",
        onText: (text: string) => void = () => undefined,
        headers: Readonly<Record<string, string>> = {},
      ): Promise<Answer> {
        return new Promise((resolve, reject) => {
          const sent = request(
            {
              host: "127.0.0.1",
              servername: "search.example",
              rejectUnauthorized: false,
              port,
              method,
              path,
              headers: {
                Host: "search.example",
                Authorization: ADMIN,
                "Content-Type": "application/json",
                ...headers,
              },
            },
            (response) => {
              let text = "";
              response.setEncoding("utf8").on("data", (part: string) => onText((text += part)));
              response.on("end", () => resolve({ status: response.statusCode!, text }));
              response.on("error", reject);
            },
          );
          sent.on("error", reject);
          sent.end(body);
        });
      }

      test("searches, the console and the manual are as without", async () => {
        await expect.poll(async () => (await ask("GET", "/livez").catch(() => null))?.status).toBe(200);
        const found = await ask("POST", `/index/${name}/search`, '{"query":{"fuzzy":{"ctx":"boots"}}}');
        expect(JSON.parse(found.text)).toMatchObject({ status: 200, data: { count: 1 } });
        for (const path of ["/console", "/docs"]) {
          const page = await ask("GET", path);
          expect([page.status, page.text.includes("<html")]).toEqual([200, true]);
        }
      });

      test("a body of 20 MB arrives", async () => {
        const line = `${JSON.stringify({ id: "x", title: "word ".repeat(400) })}\n`;
        const body = line.repeat(Math.ceil(20e6 / line.length));
        const added = await ask("POST", `/index/${name}/documents`, body, undefined, {
          "Content-Type": "application/x-ndjson",
        });
        expect([added.status, added.text.slice(0, 200)]).toEqual([200, expect.stringContaining("num_added")]);
        expect((await ask("POST", `/index/${name}/rollback`)).status).toBe(200);
      });

      test("a summary's events come one by one", async () => {
        const asked = new Promise<ChatReply>((resolve) => {
          model.answer = resolve;
        });
        let seen = "";
        const body = '{"query":{"fuzzy":{"ctx":"boots"}}}';
        const answer = ask("POST", `/index/${name}/search/summary`, body, (text) => {
          seen = text;
        });
        const reply = await asked;
        for (const word of ["one", "two", "three"]) {
          await reply.say(`${word} `);
          await expect.poll(() => seen, { timeout: 5_000 }).toContain(word);
          expect(seen).not.toContain("event: done");
        }
        reply.finish();
        expect((await answer).text).toContain("event: done");
      });
    },
  );
});
