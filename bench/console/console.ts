/** `npm run bench -- console`: how quick the console is in a real browser, and what Lighthouse says of it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { loadSample } from "../../src/cli/demo/load-sample.js";
import { FindlingClient } from "../../src/client/index.js";
import { machine } from "../peers/peer-report.js";
import { percentile } from "../statistics.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { CHROMIUM, firstPaint, shownOn, signIn, sinceCall, watch, watchAnew } from "./watched-page.js";

export interface ConsoleOptions {
  /** First visits, and rounds of typing. */
  readonly rounds: number;
  /** Documents of the long list. */
  readonly rows: number;
  /** How many the overview lists. */
  readonly indexes: number;
  readonly dist: string;
  /** Whether Lighthouse is fetched and run. */
  readonly lighthouse: boolean;
}

const LIGHTHOUSE = "lighthouse@12";
const LIGHTHOUSE_TRIES = 3;
const TYPED = "text editr for consle";
/** A keystroke's answer and what it changes are there after so long. */
const SETTLED_MS = 500;
const ROWS_PER_REQUEST = 5_000;
const INDEXES_AT_A_TIME = 8;
/** How long rows that are scrolled to may take to come. */
const ROWS_MS = 60_000;
const TURNS = 100;
const TURN_PIXELS = 2_400;

/** Goes to the end of the list, and tells how many rows there are once there are more, or after a while. */
const TO_THE_END = `new Promise((resolve) => {
  const list = document.querySelector(".document-list");
  const body = list.querySelector(".table-body");
  const before = body.offsetHeight;
  list.scrollTop = list.scrollHeight;
  const done = () => {
    clearTimeout(timer);
    grown.disconnect();
    resolve(Math.round(body.offsetHeight / list.querySelector(".document-row").offsetHeight));
  };
  const timer = setTimeout(done, ${ROWS_MS});
  const grown = new ResizeObserver(() => { if (body.offsetHeight > before) done(); });
  grown.observe(body);
})`;

type Row = readonly [what: string, reached: string, goal: string];

export async function benchmarkConsole(options: ConsoleOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-console-"));
  const server = await ServerUnderTest.start({
    dist: resolve(options.dist),
    dataFolder: join(folder, "data"),
    profile: undefined,
    environment: {},
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const client = new FindlingClient({ url: server.url, key: KEY });
    await loadSample(client, "packages", { reset: false });
    const { rounds, lighthouse } = options;
    process.stdout.write(
      `Console in ${browser.version()}, ${rounds} rounds, Node ${process.versions.node}, ${machine()}\n\n` +
        "| | reached | goal |\n|---|---|---|\n",
    );
    const { url } = server;
    const parts: (() => Promise<Row[]> | Row[])[] = [
      () => firstVisits(browser, url, options),
      () => typing(browser, url, options),
      () => longList(browser, url, client, options),
      () => manyIndexes(browser, url, client, options),
      ...(lighthouse ? [() => lighthouseRows(url, folder)] : []),
    ];
    // Each as it comes: the next part may fail.
    for (const part of parts) {
      for (const row of await part()) process.stdout.write(`| ${row.join(" | ")} |\n`);
    }
  } finally {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each in a window that has seen nothing of the console before. */
async function firstVisits(browser: Browser, url: string, { rounds }: ConsoleOptions): Promise<Row[]> {
  const paints: number[] = [];
  const ready: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const page = await openedAt(browser, `${url}/console`);
    await page.locator("input:focus").waitFor();
    ready.push(await sinceCall(page));
    paints.push(await firstPaint(page));
    await page.context().close();
  }
  return [
    ["first paint of a first visit", median(paints), "1,000 ms"],
    ["and until the key can be typed", median(ready), "1,500 ms"],
  ];
}

async function typing(browser: Browser, url: string, { rounds }: ConsoleOptions): Promise<Row[]> {
  const page = await signedIn(browser, url);
  await goTo(page, "Playground");
  const query = page.getByRole("searchbox", { name: "Query" });
  const shownAfter: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await query.fill("");
    await pause(SETTLED_MS);
    for (const letter of TYPED) {
      await watchAnew(page);
      await query.press(letter === " " ? "Space" : letter);
      await pause(SETTLED_MS);
      const { answeredAt, changedAt } = await shownOn(page);
      if (answeredAt !== null && changedAt !== null) shownAfter.push(Math.max(0, changedAt - answeredAt));
    }
  }
  await page.context().close();
  return [
    [
      `from a search's answer to the screen, ${shownAfter.length} keystrokes, median`,
      ms(percentile(shownAfter, 0.5)),
      "50 ms",
    ],
    ["the slowest of a hundred", ms(percentile(shownAfter, 0.99)), "50 ms"],
  ];
}

async function longList(
  browser: Browser,
  url: string,
  client: FindlingClient,
  { rows }: ConsoleOptions,
): Promise<Row[]> {
  await client.createIndex({
    name: "rows",
    search_fields: ["title"],
    fields: { title: { type: "text" }, number: { type: "u64" } },
  });
  for (let from = 0; from < rows; from += ROWS_PER_REQUEST) {
    const length = Math.min(ROWS_PER_REQUEST, rows - from);
    await client.addDocuments(
      "rows",
      Array.from({ length }, (_, at) => ({ title: `Row ${from + at}`, number: from + at })),
    );
  }
  await client.commitIndex("rows");
  const page = await signedIn(browser, url);
  await goTo(page, "Documents");
  await page.goto(`${url}/console/documents/rows`);
  await page.locator(".document-row").first().waitFor();
  await page.mouse.move(600, 500);
  await pause(SETTLED_MS);
  await watchAnew(page);
  // To the end of what has come, and once more is there to its end, until it is the list's.
  for (let shown = 0, before = -1; shown < rows && shown > before; ) {
    before = shown;
    shown = await page.evaluate<number>(TO_THE_END);
  }
  for (let turn = 0; turn < TURNS; turn++)
    await page.mouse.wheel(0, turn % 3 === 0 ? TURN_PIXELS : -TURN_PIXELS);
  await pause(SETTLED_MS);
  const { longTasks } = await shownOn(page);
  const height = await page.evaluate<number>("document.querySelector('.table-body').offsetHeight");
  const rowHeight = await page.evaluate<number>("document.querySelector('.document-row').offsetHeight");
  await page.context().close();
  return [
    [
      `longest task over 50 ms while ${Math.round(height / rowHeight)} of ${rows} rows come and are scrolled`,
      longest(longTasks),
      "none",
    ],
  ];
}

async function manyIndexes(
  browser: Browser,
  url: string,
  client: FindlingClient,
  { indexes }: ConsoleOptions,
): Promise<Row[]> {
  let next = 0;
  const make = async (): Promise<void> => {
    while (next < indexes) {
      const name = `shop-${String(next++).padStart(5, "0")}`;
      await client.createIndex({ name, search_fields: ["title"], fields: { title: { type: "text" } } });
    }
  };
  await Promise.all(Array.from({ length: INDEXES_AT_A_TIME }, make));
  const page = await openedAt(browser, `${url}/console`);
  await page.locator("input:focus").waitFor();
  await page.keyboard.type(KEY);
  const began = await sinceCall(page);
  await watchAnew(page);
  await page.keyboard.press("Enter");
  await page.getByRole("table").getByText("shop-00000").waitFor();
  const usable = (await sinceCall(page)) - began;
  await pause(SETTLED_MS);
  const { longTasks } = await shownOn(page);
  await watchAnew(page);
  await page.locator(".table-scroller").first().hover();
  for (let turn = 0; turn < TURNS; turn++) await page.mouse.wheel(0, TURN_PIXELS);
  await pause(SETTLED_MS);
  const scrolled = await shownOn(page);
  await page.context().close();
  return [
    [`overview of ${indexes} indexes, from Enter to its first rows`, ms(usable), ""],
    ["longest task over 50 ms until then", longest(longTasks), ""],
    ["and while its table is scrolled", longest(scrolled.longTasks), "none"],
  ];
}

/** Its figures are those of a slow telephone, as which it sees every page unless told otherwise. */
function lighthouseRows(url: string, folder: string): Row[] {
  return ["/console", "/docs"].flatMap((path) =>
    ["desktop", "mobile"].map((form): Row => {
      const what = `Lighthouse 12, ${path}, ${form}: performance and accessibility`;
      return [what, lighthouseScores(url + path, form, folder) ?? "not measured", "95 and 95"];
    }),
  );
}

/** Null where each try failed: now and then Chromium's trace lacks the page's beginning, and Lighthouse gives up. */
function lighthouseScores(address: string, form: string, folder: string): string | null {
  const out = join(folder, `lighthouse-${form}.json`);
  const words = [
    "--yes",
    LIGHTHOUSE,
    address,
    ...(form === "desktop" ? ["--preset=desktop"] : []),
    "--only-categories=performance,accessibility",
    "--chrome-flags=--headless=new --no-sandbox",
    "--output=json",
    `--output-path=${out}`,
    "--quiet",
  ];
  const env = { ...process.env, CHROME_PATH: CHROMIUM };
  for (let tries = 0; tries < LIGHTHOUSE_TRIES; tries++) {
    const { status } = spawnSync("npx", words, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) continue;
    const { categories } = JSON.parse(readFileSync(out, "utf8")) as {
      readonly categories: Readonly<Record<"performance" | "accessibility", { readonly score: number }>>;
    };
    const { performance, accessibility } = categories;
    return `${Math.round(performance.score * 100)} and ${Math.round(accessibility.score * 100)}`;
  }
  return null;
}

async function openedAt(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await watch(page);
  await page.goto(address);
  return page;
}

async function signedIn(browser: Browser, url: string): Promise<Page> {
  const page = await openedAt(browser, `${url}/console`);
  await signIn(page);
  return page;
}

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

function median(values: readonly number[]): string {
  return ms(percentile(values, 0.5));
}

function longest(tasks: readonly number[]): string {
  return tasks.length === 0 ? "none" : `${ms(Math.max(...tasks))} (${tasks.length} in all)`;
}

const ms = (value: number): string => `${Math.round(value).toLocaleString("en")} ms`;
