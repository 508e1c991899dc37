// What somebody does who has just heard of it, on a machine with nothing but Node: installs the package, starts the server
// as a service's user, imports a CSV file, and searches from a page in a browser. Says how long each step took.
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { captured, freePort, run, stop, untilReady } from "./debian-root.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const CSV = `id,title,year,genre
1,The Third Man,1949,crime
2,A Man Escaped,1956,drama
3,"Good Night, and Good Luck",2005,drama
`;
const PAGE = (server, key) => `<!doctype html><meta charset="utf-8"><title>Films</title>
<input id="words"><ul id="found"></ul>
<script type="module">
import { FindlingClient } from "/client.js";
const client = new FindlingClient({ url: "${server}", key: "${key}" });
words.addEventListener("input", async () => {
  const query = { fuzzy: { ctx: words.value, as_you_type: true } };
  const { hits } = await client.searchIndex("films", { query, limit: 5 });
  found.replaceChildren(...hits.map(({ doc }) => Object.assign(document.createElement("li"), { textContent: doc.title })));
});
</script>`;

/**
 * @param machine a root that may be changed
 * @param folder for files of this
 * @returns lines that say how long each step took
 */
export async function newUser(machine, folder) {
  const times = [];
  const timed = async (what, work) => {
    const began = performance.now();
    const result = await work();
    times.push(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    return result;
  };
  run("npm", "pack", "--loglevel=error", "--pack-destination", folder);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  machine.copy(join(folder, archive), `/tmp/${archive}`);
  const said = await timed("npm install", () =>
    machine.run(["npm", "install", "--global", `/tmp/${archive}`]),
  );
  if (/\bwarn\b|deprecated/i.test(said.stderr)) throw new Error(`npm install warned:\n${said.stderr}`);
  machine.run(["useradd", "--system", "--create-home", "--home-dir", "/var/lib/findling", "findling"]);

  const port = await freePort();
  const site = await servedPage(`http://127.0.0.1:${port}`);
  const env = {
    FINDLING_PORT: String(port),
    FINDLING_DATA_DIR: "/var/lib/findling/data",
    FINDLING_CORS_ORIGINS: site.origin,
  };
  const asService = { user: "findling:findling", home: "/var/lib/findling", env };
  const server = machine.start(["findling", "serve"], asService);
  try {
    server.stdout.resume();
    await timed("findling serve, until it answers", () =>
      untilReady(`http://127.0.0.1:${port}/readyz`, server),
    );
    const owner = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1];
    if (owner === "0") throw new Error("the server runs as root");
    writeFileSync(machine.path("/tmp/films.csv"), CSV);
    await timed("findling import", () =>
      machine.run(["findling", "import", "/tmp/films.csv", "--index", "films", "--yes"], asService),
    );
    site.key = machine.run(["findling", "keys", "show", "read"], asService).stdout.trim();
    await timed("a search from a page", () => searchFromPage(site.origin));
    const code = await stop(server);
    if (code !== 0) throw new Error(`the server ended with ${code}`);
  } finally {
    server.kill("SIGKILL");
    site.close();
  }
  const [size] = captured("du", "-sm", machine.path("/usr/lib/node_modules/findling")).split("\t");
  return [...times, `installed: ${size} MB`];
}

/** A site of somebody's own, at another origin than the server. */
async function servedPage(url) {
  const client = readFileSync("packages/client/dist/index.js");
  const http = createServer((request, response) => {
    const isClient = request.url === "/client.js";
    response.setHeader("Content-Type", isClient ? "text/javascript" : "text/html");
    response.end(isClient ? client : PAGE(url, site.key));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const origin = `http://127.0.0.1:${http.address().port}`;
  const site = { origin, key: "", close: () => http.close() };
  return site;
}

async function searchFromPage(origin) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const tab = await browser.newPage();
    await tab.goto(origin);
    await tab.locator("#words").pressSequentially("thrid ma");
    await tab.locator("li", { hasText: "The Third Man" }).waitFor({ timeout: 60_000 });
  } finally {
    await browser.close();
  }
}
