// Makes a data folder of the format that a build writes, and what that build answers from it:
//
//   node tests/formats/make-fixture.mjs CHECKOUT tests/formats/2-c84ed5b
//
// CHECKOUT is a checkout with its `dist` built. The server is killed in the end, so that the folder is as a crash
// leaves it: with journals that hold writes which are in no commit.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Keys that the fixture's server is started with; the test starts its own with the same. */
const SETTINGS = {
  FINDLING_ADMIN_KEY: "fixture-admin-key-0123456789",
  FINDLING_SECRET_KEY: "f1c5".repeat(16),
};
const QUIET = { FINDLING_LOG_LEVEL: "warn" };
const LLM_API_KEY = "sk-of-the-fixture-0123456789";
const ALL_EVENTS = "/measure/export?date_start=2020-01-01&date_end=2200-01-01";
const NOWHERE = "http://127.0.0.1:1/findling";
const SHOP_COUNT = 60;
const BATCHES = 20;
const BATCH_SIZE = 150;

const [checkout, target] = process.argv.slice(2);
if (checkout === undefined || target === undefined) {
  throw new Error("name a built checkout, and the folder to make");
}

class Server {
  #child;
  #url;

  static async start(dataDir, settings = {}) {
    const server = new Server();
    const cli = join(resolve(checkout), "dist/cli/main.js");
    server.#child = spawn(process.execPath, [cli, "serve", "--port", "0", "--data-dir", dataDir], {
      env: { PATH: process.env.PATH, ...SETTINGS, ...QUIET, ...settings },
      stdio: ["ignore", "pipe", "inherit"],
    });
    server.#url = await new Promise((listening, failed) => {
      let output = "";
      server.#child.stdout.on("data", (chunk) => {
        output += chunk;
        const [, url] = /^findling listens on (\S+)\n/m.exec(output) ?? [];
        if (url !== undefined) listening(url);
      });
      server.#child.once("exit", () => failed(new Error(`the server ended: ${output}`)));
    });
    return server;
  }

  async end(signal) {
    const ended = new Promise((done) => this.#child.once("exit", done));
    this.#child.kill(signal);
    await ended;
  }

  async send(method, path, body) {
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization: SETTINGS.FINDLING_ADMIN_KEY, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== 200)
      throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return path.startsWith(ALL_EVENTS) ? text : JSON.parse(text).data;
  }

  async record(requests) {
    const recorded = [];
    for (const { method, path, body } of requests) {
      const data = recordedOf(await this.send(method, path, body));
      recorded.push({ method, path, ...(body && { body }), data });
    }
    return recorded;
  }
}

/** What a search found, without how long it took and what it scored: documents are in the answers to other requests. */
function recordedOf(data) {
  if (data.hits === undefined) return data;
  const { hits, count, facets } = data;
  const docs = hits.map(({ doc }) => doc);
  return { count, ...(docs.length > 3 ? { facets, ids: docs.map(({ id }) => id) } : { docs }) };
}

/** Documents with a value in every field, in some, and in none but `id`. */
function product(number) {
  const id = { id: `p${number}` };
  if (number % 10 === 9) return id;
  return {
    ...id,
    title: `${["red", "green", "blue"][number % 3]} ${["shoe", "hat"][number % 2]} number ${number}`,
    notes: [`first note of ${number}`, "second note, a long way from the first"],
    hidden: `unstored ${number % 7}`,
    category: `/clothes/${["shoes", "hats"][number % 2]}/${number % 5}`,
    tags: [`/a/${number % 4}`, `/b/${number % 3}`],
    isNew: number % 4 === 0,
    price: number * 1.25 - 10,
    stock: number * 3,
    largest: "18446744073709551615",
    change: number % 2 === 0 ? -number : number,
    sizes: [number % 5, 40 + (number % 3)],
    madeAt: `2024-0${1 + (number % 9)}-1${number % 10}T0${number % 10}:00:00Z`,
    seenAt: `2025-01-01T00:00:00.${String(100 + number)}456Z`,
    image: Buffer.from([number, 255 - number, 0]).toString("base64"),
    extra: { number, nested: [null, { ä: "ö" }] },
  };
}

const SHOP_FIELDS = {
  id: { type: "text" },
  title: { type: "text" },
  notes: { type: "text", multi: true },
  hidden: { type: "text", stored: false },
  category: { type: "facet" },
  tags: { type: "facet", multi: true },
  isNew: { type: "bool" },
  price: { type: "f64" },
  stock: { type: "u64" },
  largest: { type: "u64" },
  change: { type: "i64" },
  sizes: { type: "i64", multi: true },
  madeAt: { type: "datetime" },
  seenAt: { type: "datetime", precision: "microseconds" },
  image: { type: "bytes" },
  extra: { type: "json" },
};

/** Words of a rank, frequent ones first, drawn by a generator of Lehmer's. */
function* someWords() {
  let state = 12345;
  for (;;) {
    state = (state * 48271) % 2147483647;
    const rank = Math.floor(Math.exp((state / 2147483647) * Math.log(900)));
    yield `w${rank.toString(36)}${"aeiou"[rank % 5]}`;
  }
}

const event = (name, term, more = {}) => ({
  event_name: name,
  properties: { searchcraft_index_names: ["shop"], search_term: term, ...more },
  user: { user_id: `user of ${term}`, os: "Mac" },
});

async function fill(server) {
  const index = (name, fields, more = {}) =>
    server.send("POST", "/index", { index: { name, fields, ...more } });
  const add = (name, documents) => server.send("POST", `/index/${name}/documents`, documents);
  const commit = (name) => server.send("POST", `/index/${name}/commit`);
  const remove = (name, selection) => server.send("DELETE", `/index/${name}/documents`, selection);
  const textFields = { id: { type: "text" }, title: { type: "text" } };

  await index("shop", SHOP_FIELDS, {
    search_fields: ["title", "notes", "hidden"],
    weight_multipliers: { title: 2.5 },
    time_decay_field: "madeAt",
    ai_enabled: true,
    ai: { llm_provider: "openai", llm_api_key: LLM_API_KEY, search_summary: { model: "m" } },
  });
  const products = Array.from({ length: SHOP_COUNT }, (_, number) => product(number));
  await add("shop", products.slice(0, 40));
  await commit("shop");
  await add("shop", products.slice(40));
  await commit("shop");
  await remove("shop", { id: ["p3", "p11", "p41"] });
  await commit("shop");

  await index("german", textFields, {
    language: "de",
    enable_language_stemming: true,
    fold_diacritics: true,
  });
  await add("german", [
    { id: "1", title: "Die Häuser der Stadt" },
    { id: "2", title: "Ein Haus am See" },
    { id: "3", title: "Der Laptop des Kunden" },
  ]);
  await commit("german");
  await server.send("POST", "/index/german/synonyms", ["laptop:haus", "see,meer:meer,see"]);
  await server.send("POST", "/index/german/stopwords", ["stadt"]);

  await index("english", textFields, { language: "en", enable_language_stemming: true });
  await add("english", [
    { id: "1", title: "Running horses" },
    { id: "2", title: "The horse that ran" },
  ]);
  await commit("english");
  await add("english", { id: "3", title: "A runner is running" });
  await commit("english");

  // So many small segments that some are merged, and words in so many documents that they are kept in blocks.
  await index("many", { ...textFields, group: { type: "facet" }, weight: { type: "u64" } });
  const words = someWords();
  for (let batch = 0; batch < BATCHES; batch++) {
    const documents = Array.from({ length: BATCH_SIZE }, (_, i) => ({
      id: `m${batch * BATCH_SIZE + i}`,
      title: Array.from({ length: 4 + (i % 5) }, () => words.next().value).join(" "),
      group: `/g${batch % 3}/s${i % 4}`,
      weight: (i * 7919) % 1000,
    }));
    await add("many", documents);
    await commit("many");
    if (batch % 6 === 5) {
      await remove("many", { id: [`m${batch * 10}`, `m${batch * BATCH_SIZE}`] });
      await commit("many");
    }
  }
  await index("empty", textFields);

  await server.send("POST", "/federation", {
    name: "both",
    friendly_name: "Both languages",
    index_configurations: [{ name: "german" }, { name: "english", weight_multiplier: 2 }],
  });
  await server.send("POST", "/auth/key", { name: "reader", permissions: 1, allowed_indexes: ["shop"] });
  await server.send("POST", "/auth/key", {
    name: "of the federation",
    permissions: 1,
    federation_name: "both",
    organization_id: 7,
  });
  await server.send("POST", "/auth/key", { name: "gone", permissions: 15, status: "inactive" });
}

const search = (path, query, more = {}) => ({
  method: "POST",
  path: `/${path}/search`,
  body: { query, limit: 50, ...more },
});
const exact = (ctx) => ({ exact: { ctx } });
const get = (path) => ({ method: "GET", path });

const REQUESTS = [
  ...["/index", "/index/stats", "/index/shop", "/index/german", "/index/english", "/index/many"].map(get),
  ...["/index/german/synonyms", "/index/german/stopwords", "/index/shop/capabilities"].map(get),
  ...["/federation", "/federation/both", "/auth/key", "/auth/federation/both"].map(get),
  search("index/shop", exact("*"), { order_by: "price", sort: "asc", limit: 100 }),
  ...Array.from({ length: 20 }, (_, page) =>
    search("index/shop", exact("*"), { order_by: "stock", sort: "asc", offset: 3 * page, limit: 3 }),
  ),
  ...["id", "title", "isNew", "price", "stock", "change", "madeAt", "seenAt"].flatMap((order_by) =>
    ["asc", "desc"].map((sort) => search("index/shop", exact("shoe"), { order_by, sort })),
  ),
  ...[
    'title:"green hat"',
    '"second note"',
    "notes:first AND NOT red",
    "hidden:unstored",
    "category:/clothes/hats",
    "tags:/a/1 OR tags:/b",
    "isNew:true",
    "price:[0 TO 20}",
    "stock:>100",
    "largest:18446744073709551615",
    "change:<0",
    "sizes:42",
    "madeAt:[2024-03-01 TO 2024-06-01]",
    "seenAt:>=2025-01-01T00:00:00.130456Z",
    "title:IN [red blue]",
    "id:p12",
  ].map((ctx) => search("index/shop", exact(ctx), { order_by: "stock", sort: "asc" })),
  // Scores of an index with a time decay change with the day, so all that is asked of this one is ordered by a value.
  search("index/shop", { fuzzy: { ctx: "gren shoos" } }, { order_by: "stock" }),
  search("index/shop", { dynamic: { ctx: "red hat" } }, { order_by: "stock" }),
  ...["haus", "häuser", "laptop", "stadt", "meer"].map((ctx) => search("index/german", { fuzzy: { ctx } })),
  ...["run", "horse"].map((ctx) => search("index/english", exact(ctx))),
  search("federation/both", { fuzzy: { ctx: "haus horse" } }),
  ...["w1e", "w1e AND w2i", '"w1e w2i"', "w1e OR wpu", "w20", "group:/g1 AND w3o"].flatMap((ctx) => [
    search("index/many", exact(ctx)),
    search("index/many", exact(ctx), { order_by: "weight", sort: "asc", limit: 20 }),
  ]),
  search("index/many", { fuzzy: { ctx: "w10a w2" } }),
  search("index/many", exact("*"), { limit: 0 }),
  search("index/empty", exact("*")),
];

/** How often each name occurs. */
function countsOf(names) {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const work = mkdtempSync(join(tmpdir(), "findling-fixture-"));
const dataDir = join(work, "data");
try {
  let server = await Server.start(dataDir);
  await fill(server);
  await server.send("POST", "/measure/batch", [
    event("search_completed", "stored", { number_of_documents: 3 }),
  ]);
  await new Promise((done) => setTimeout(done, 1500));
  await server.end("SIGTERM");

  // With a store that can't be reached, events wait.
  server = await Server.start(dataDir, { FINDLING_MEASURE_URL: NOWHERE });
  const committed = await server.record(REQUESTS);
  await server.send("POST", "/index/shop/documents", [product(100), product(101), { id: "pending" }]);
  await server.send("DELETE", "/index/shop/documents", { id: "p5" });
  await server.send("POST", "/index/english/documents", [{ id: "pending", title: "A pending horse" }]);
  await server.send("POST", "/measure/batch", [
    event("search_completed", "waiting", { number_of_documents: 0 }),
    event("document_clicked", "waiting", { document_position: 2 }),
  ]);
  await server.end("SIGKILL");
  for (const name of readdirSync(dataDir).filter((each) => each.startsWith(".lock"))) {
    rmSync(join(dataDir, name));
  }

  // What a copy says after a commit, and which events there are.
  const copy = join(work, "copy");
  cpSync(dataDir, copy, { recursive: true });
  server = await Server.start(copy);
  await new Promise((done) => setTimeout(done, 1500));
  const events = (await server.send("GET", ALL_EVENTS)).split("\n").filter((line) => line !== "");
  for (const name of ["shop", "english"]) await server.send("POST", `/index/${name}/commit`);
  const afterCommit = await server.record(REQUESTS);
  await server.end("SIGTERM");

  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  cpSync(dataDir, join(target, "data"), { recursive: true });
  const expected = {
    adminKey: SETTINGS.FINDLING_ADMIN_KEY,
    secretKey: SETTINGS.FINDLING_SECRET_KEY,
    llmApiKey: LLM_API_KEY,
    committed,
    afterCommit,
    events: countsOf(events.map((line) => JSON.parse(line).eventName)),
  };
  writeFileSync(join(target, "expected.json"), `${JSON.stringify(expected)}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
