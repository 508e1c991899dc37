/** `npm run bench -- pictures`: every page of the console as it looks, at three widths, light and dark. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { loadEvents } from "../../src/cli/demo/events/load-events.js";
import { loadSample } from "../../src/cli/demo/load-sample.js";
import { FindlingClient } from "../../src/client/index.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { CHROMIUM, signIn } from "./watched-page.js";

export interface PicturesOptions {
  readonly dist: string;
  /** Folder that the pictures go to. */
  readonly to: string;
  /** Pages whose name begins so; all unless given. */
  readonly only: string;
  /** Pixels, separated by commas. */
  readonly widths: string;
}

const THEMES = ["light", "dark"] as const;
/** Longer pages are shown to here. */
const HEIGHT_MAX = 2_600;
/** A page whose parts have come is drawn after so long. */
const DRAWN_MS = 600;

/** What each picture is called, and its address. */
const PAGES: Readonly<Record<string, string>> = {
  overview: "/overview",
  playground: "/playground?index=packages&q=pasword+manger",
  "playground-compared": "/playground?index=packages&q=pasword&compare=1",
  "playground-table": "/playground?index=packages&q=pasword&view=table",
  "playground-conditions": "/playground?index=packages&clause=must:between:installed_size:10:20",
  documents: "/documents/packages",
  index: "/index/packages",
  "index-ranking": "/index/packages?tab=ranking",
  "index-words": "/index/packages?tab=words",
  "index-synonyms": "/index/packages?tab=synonyms",
  "index-settings": "/index/packages?tab=settings",
  "index-aliases": "/index/packages?tab=aliases",
  "index-new": "/index/new",
  federations: "/federations",
  summaries: "/summaries/packages",
  measure: "/measure",
  keys: "/keys",
  operations: "/operations",
  "operations-backups": "/operations?tab=backups",
  "operations-slow": "/operations?tab=slow",
  "operations-log": "/operations?tab=log",
  "operations-configuration": "/operations?tab=configuration",
  "operations-metrics": "/operations?tab=metrics",
  api: "/api",
  "api-manual": "/api/manual/modes",
};

export async function takePictures({ dist, to, only, widths }: PicturesOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-pictures-"));
  mkdirSync(to, { recursive: true });
  const server = await ServerUnderTest.start({
    dist: resolve(dist),
    dataFolder: join(folder, "data"),
    profile: undefined,
    // A busy machine is no reason to give a search up.
    environment: { FINDLING_LOG_LEVEL: "info", FINDLING_SEARCH_TIMEOUT_MS: "60000" },
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    await fill(new FindlingClient({ url: server.url, key: KEY }));
    for (const colorScheme of THEMES)
      for (const width of widths.split(",").map(Number)) {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
        await pictureAll(
          context,
          server.url,
          (name) => join(to, `${name}-${width}-${colorScheme}.png`),
          only,
        );
        await context.close();
      }
  } finally {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A sample, a month of its use, and something of each kind that pages list. */
async function fill(client: FindlingClient): Promise<void> {
  await loadSample(client, "packages", { reset: false });
  await loadEvents(client, "packages");
  await client.createIndex({
    name: "a-catalogue-of-garden-tools-and-seeds",
    search_fields: ["title"],
    fields: { title: { type: "text" } },
  });
  await client.addDocuments("a-catalogue-of-garden-tools-and-seeds", [{ title: "Rake" }, { title: "Spade" }]);
  await client.addSynonyms("packages", ["ide:editor", "image viewer:picture viewer,photo viewer"]);
  await client.putAlias("shop", "packages");
  await client.createFederation({
    name: "everything",
    friendly_name: "All that can be found",
    index_configurations: [
      { name: "packages", weight_multiplier: 2 },
      { name: "a-catalogue-of-garden-tools-and-seeds" },
    ],
  });
  await client.createKey({ name: "The shop's search box", permissions: 1, allowed_indexes: ["packages"] });
}

async function pictureAll(
  context: BrowserContext,
  url: string,
  fileOf: (name: string) => string,
  only: string,
): Promise<void> {
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(`${url}/console`);
  await page.locator("input:focus").waitFor();
  if ("sign-in".startsWith(only)) await page.screenshot({ path: fileOf("sign-in") });
  await signIn(page);
  const { width = 0 } = page.viewportSize() ?? {};
  for (const [name, path] of Object.entries(PAGES)) {
    if (!name.startsWith(only)) continue;
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${url}/console${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForTimeout(DRAWN_MS);
    await page.locator(".loading").first().waitFor({ state: "detached" });
    const height = await page.evaluate<number>("document.documentElement.scrollHeight");
    await page.setViewportSize({ width, height: Math.min(HEIGHT_MAX, Math.max(900, height)) });
    // Charts are drawn anew for another size, and what fades in has faded in.
    await page.waitForTimeout(DRAWN_MS);
    await page.screenshot({ path: fileOf(name) });
  }
}
