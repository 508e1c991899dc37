// Runs the commands that README.md shows, as a newcomer would type them, and fails if one fails.
// Blocks fenced as `sh` run in order in one bash; one that starts the server (`npm start`) goes to
// the background and the next block waits until it answers. Blocks fenced otherwise are only read.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]);
if (blocks.length === 0) throw new Error("README.md shows no command");

const folder = mkdtempSync(join(tmpdir(), "findling-readme-"));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const environment = {
  ...process.env,
  FINDLING_PORT: String(port),
  FINDLING_DATA_DIR: join(folder, "data"),
  FINDLING_URL: url,
};
/** Seconds from the first command to the server's first answer; `npm ci` has been run, and timed, by .ci/run. */
let firstAnswerSeconds = Number(process.env.CI_INSTALL_SECONDS ?? "NaN");
let server = null;
let failed = false;
try {
  for (const block of blocks) {
    // The README says 8000, the default; here the port is one that is free.
    const script = block
      .replaceAll("localhost:8000", `127.0.0.1:${port}`)
      .replaceAll("127.0.0.1:8000", `127.0.0.1:${port}`);
    if (/npm start/.test(script)) {
      // `npm ci` has run just before; repeating it would only take time.
      const start = script.replaceAll("npm ci && ", "");
      process.stdout.write(`\n$ ${start}`);
      server = spawn("bash", ["-ec", start], { env: environment, stdio: "inherit", detached: true });
      const began = performance.now();
      await untilHealthy();
      firstAnswerSeconds += (performance.now() - began) / 1000;
    } else {
      process.stdout.write(`\n$ ${script}`);
      const code = await run(script);
      if (code !== 0) {
        process.stderr.write(`\nthe README's command failed with code ${code}\n`);
        failed = true;
        break;
      }
    }
  }
} finally {
  if (server !== null) {
    // One that failed to start has gone by itself.
    if (server.exitCode === null) process.kill(-server.pid, "SIGTERM");
    await untilGone(server.pid);
  }
  rmSync(folder, { recursive: true, force: true });
}
if (!Number.isNaN(firstAnswerSeconds))
  process.stdout.write(
    `\nnpm ci && npm start, until the server answers: ${firstAnswerSeconds.toFixed(0)} s\n`,
  );
process.exit(failed ? 1 : 0);

function run(script) {
  return new Promise((resolve) => {
    const child = spawn("bash", ["-eo", "pipefail", "-c", script], {
      env: environment,
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** The shell that started the server ends before it. */
async function untilGone(group) {
  for (;;) {
    try {
      process.kill(-group, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function untilHealthy() {
  for (let i = 0; i < 600; i++) {
    try {
      if ((await fetch(`${url}/healthcheck`)).ok) return;
    } catch {
      // not listening yet
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the server did not answer within a minute");
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port: free } = probe.address();
      probe.close(() => resolve(free));
    });
  });
}
