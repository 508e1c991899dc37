// The manual in a browser: found while it is typed, read by keyboard, wide and narrow, light and dark.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { WireServer } from "../wire/wire-server.js";
import { ConsoleBrowser, type ConsolePage, describeInBrowser } from "./console-harness.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** How much of the window has moved since the page was called, of all that was on screen before. */
const SHIFTED = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(0), 500);
})`;

describeInBrowser("the manual", () => {
  let server: WireServer;
  let browser: ConsoleBrowser;
  let opened: ConsolePage;
  beforeAll(async () => {
    server = await WireServer.start({ console: false });
    browser = await ConsoleBrowser.start(server.running.url);
  });
  afterAll(async () => {
    await browser.close();
    await server.stopAndRemove();
  });
  afterEach(async () => {
    expect(opened.problems).toEqual([]);
    await opened.close();
  });

  test("by keyboard alone: to the search, to what it finds, and on", async () => {
    opened = await browser.openAt("/docs");
    const { page } = opened;
    await page.keyboard.press("/");
    await page.keyboard.type("stopwo");
    await page.locator("#found mark").first().waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("#found").isHidden()).toBe(true);
    // Escape has emptied the field as well, as browsers do.
    await page.keyboard.type("stopwor");
    await page.locator("#found a", { hasText: "Stopwords" }).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/.+/);
    await page.getByRole("navigation", { name: "Before and behind" }).getByRole("link").last().click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(opened.refusals).toEqual([]);
  });

  test("a search with Enter is a page of its own", async () => {
    opened = await browser.openAt("/docs/facets");
    const { page } = opened;
    await page.getByRole("searchbox", { name: "Search the manual" }).fill("nightly backup");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "“nightly backup” in the manual" }).waitFor();
    await page.getByRole("main").getByRole("link").first().click();
    await page.getByRole("heading", { level: 1 }).waitFor();
  });

  test("pictures have their place before they come: what is read doesn't jump", async () => {
    opened = await browser.openAt("/docs/console", { width: 360, hasScripts: true });
    const { page } = opened;
    const pictures = page.locator("article img");
    await expect.poll(() => pictures.count()).toBeGreaterThan(2);
    for (const picture of await pictures.all()) await picture.scrollIntoViewIfNeeded();
    const areThere = "[...document.querySelectorAll('article img')].every((each) => each.naturalWidth > 0)";
    await expect.poll(() => page.evaluate<boolean>(areThere)).toBe(true);
    const sizes = await page.evaluate<readonly (readonly number[])[]>(
      "[...document.querySelectorAll('article img')].map((each) => [...['width', 'height'].map((name) => Number(each.getAttribute(name))), each.naturalWidth, each.naturalHeight])",
    );
    for (const [width, height, ownWidth, ownHeight] of sizes)
      expect([width, height]).toEqual([ownWidth, ownHeight]);
  });

  test("narrow, the list of pages is folded from the first: nothing moves, and no script is needed", async () => {
    for (const hasScripts of [true, false]) {
      opened = await browser.openAt("/docs", { width: 360, hasScripts });
      const { page } = opened;
      const listed = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Glossary" });
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await listed.isVisible()).toBe(false);
      if (hasScripts) expect(await page.evaluate(SHIFTED)).toBe(0);
      await page.locator("summary", { hasText: "Pages" }).click();
      await listed.waitFor();
      await page.setViewportSize({ width: 1280, height: 900 });
      expect(await page.locator("summary", { hasText: "Pages" }).isVisible()).toBe(false);
      if (hasScripts) await opened.close();
    }
    await opened.page.reload();
    await opened.page.getByRole("link", { name: "Glossary" }).first().waitFor();
  });

  const PAGES = [
    "/docs",
    "/docs/query-language",
    "/docs/configuration",
    "/docs/console",
    "/docs/search?q=synonyms",
    "/docs/api",
  ];

  test.each(PAGES.flatMap((path) => [360, 1280].map((width) => ({ path, width }))))(
    "$path at $width pixels has no faults, light and dark",
    async ({ path, width }) => {
      for (const theme of ["light", "dark"] as const) {
        if (theme === "dark") await opened.close();
        opened = await browser.openAt(path, { width, theme });
        const { page } = opened;
        await page.getByRole("heading", { level: 1 }).waitFor();
        const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        expect(await page.evaluate(overflow)).toBe(0);
        await page.evaluate(AXE);
        const found = await page.evaluate(
          "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))",
        );
        expect(found).toEqual([]);
      }
    },
  );
});
