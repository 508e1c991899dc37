// Runs the scenarios of @modelcontextprotocol/conformance, which needs Node 22: those that ask for no tools of its own
// against the server as it is installed, the others against the same transport with the suite's tools
// (tests/mcp/suite-server.ts). Left out are those in which the server asks the client something within a call, or
// remembers it between calls: the transport keeps no sessions.
//
//   node .ci/mcp-conformance.mjs
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const VERSION = "0.1.16";
const OWN = [
  "server-initialize",
  "ping",
  "tools-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];
const WITH_TOOLS = [
  "logging-set-level",
  "completion-complete",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-with-logging",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
  "resources-list",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "prompts-list",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
];

const node = process.execPath;
const folder = mkdtempSync(join(tmpdir(), "findling-conformance-"));
const failed = [];
try {
  const suite = installed();
  const port = String(await freePort());
  const serve = ["serve", "--port", port, "--data-dir", join(folder, "data"), "--json"];
  await against(suite, OWN, [join("dist", "cli", "main.js"), ...serve], port);
  await against(suite, WITH_TOOLS, ["--import", "tsx", join("tests", "mcp", "suite-server.ts")], "0");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failed.length > 0) {
  process.stderr.write(`MCP scenarios that failed: ${failed.join(", ")}\n`);
  process.exit(1);
}
process.stdout.write(`all ${OWN.length + WITH_TOOLS.length} MCP scenarios passed\n`);

/** @returns the path of the suite's program */
function installed() {
  const cache = join(process.cwd(), ".cache", "mcp-conformance", VERSION);
  const program = join(cache, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "package.json"), '{ "private": true }\n');
  const wanted = `@modelcontextprotocol/conformance@${VERSION}`;
  const npm = ["install", "--silent", "--ignore-scripts", "--no-save", "--prefix", cache, wanted];
  const { status } = spawnSync("npm", npm, { stdio: "inherit" });
  if (status !== 0) throw new Error(`${wanted} can't be installed`);
  return program;
}

/** One whose pages may be named before the server listens. */
async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

/** @param command what starts a server that prints its URL in its first line, and ends with its input or SIGTERM */
async function against(suite, scenarios, command, port) {
  const server = spawn(node, command, {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...process.env,
      FINDLING_AUTH: "off",
      FINDLING_LOG_LEVEL: "error",
      FINDLING_CORS_ORIGINS: `http://localhost:${port},http://127.0.0.1:${port}`,
    },
  });
  const ended = once(server, "close");
  try {
    const [line] = await once(createInterface({ input: server.stdout }), "line");
    const url = line.startsWith("{") ? `${JSON.parse(line).url}/mcp` : line;
    for (const scenario of scenarios) {
      const run = ["server", "--url", url, "--scenario", scenario, "-o", join(folder, "results")];
      const { status, stdout } = spawnSync(node, [suite, ...run], { encoding: "utf8" });
      process.stdout.write(`${status === 0 ? "passed" : "FAILED"}  ${scenario}\n`);
      if (status === 0) continue;
      failed.push(scenario);
      process.stdout.write(stdout);
    }
  } finally {
    server.stdin.end();
    server.kill("SIGTERM");
    await ended;
  }
}
