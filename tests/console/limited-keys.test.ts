// What a key may not do isn't offered, so that nothing that is there is refused; and what documents hold is text.
import { afterAll, beforeAll, expect, test } from "vitest";
import { INGEST, READ, WireServer } from "../wire/wire-server.js";
import { ConsoleBrowser, type ConsolePage, describeInBrowser } from "./console-harness.js";

describeInBrowser("keys that may not do everything", () => {
  let server: WireServer;
  let browser: ConsoleBrowser;
  const keys: Record<string, string> = { read: READ, ingest: INGEST };
  beforeAll(async () => {
    server = await WireServer.start();
    for (const name of ["books", "films"]) {
      await server.createIndex(name, {
        fields: { id: { type: "text" }, title: { type: "text" }, genre: { type: "facet" } },
      });
      await server.addCommitted(name, [{ id: "1", title: "The garden", genre: "/drama/war" }]);
    }
    await server.post("/federation", {
      name: "all",
      index_configurations: [{ name: "books" }, { name: "films" }],
    });
    const made = async (key: object): Promise<string> => (await server.post("/auth/key", key)).json.data.key;
    keys["scoped read"] = await made({ permissions: 1, allowed_indexes: ["books"] });
    keys["scoped ingest"] = await made({ permissions: 15, allowed_indexes: ["books"] });
    keys["federation's"] = await made({
      permissions: 1,
      allowed_indexes: ["books", "films"],
      federation_name: "all",
    });
    keys["writing only"] = await made({ permissions: 2, allowed_indexes: ["books"] });
    keys["creating only"] = await made({ permissions: 16, allowed_indexes: ["*"] });
    keys["administering"] = await made({ permissions: 32, allowed_indexes: ["*"] });
    browser = await ConsoleBrowser.start(server.running.url);
  });
  afterAll(async () => {
    await browser.close();
    await server.stopAndRemove();
  });

  test.each([
    "read",
    "ingest",
    "scoped read",
    "scoped ingest",
    "federation's",
    "writing only",
    "creating only",
    "administering",
  ])("the %s key meets no refusal on any page that it is shown", async (name) => {
    const opened = await browser.open();
    await opened.signIn(keys[name]!);
    const pages = await opened.navigation.getByRole("link").allInnerTexts();
    for (const page of pages) {
      await opened.go(page);
      await opened.settled();
      for (const tab of await opened.page.getByRole("tab").all()) {
        await tab.click();
        await opened.settled();
      }
    }
    if (pages.includes("Playground")) {
      await opened.go("Playground");
      await opened.query.fill("garden");
      await expect.poll(() => opened.hits()).toEqual(["The garden"]);
      await opened.page.getByRole("button", { name: "The garden" }).click();
      await opened.page.getByRole("dialog").waitFor();
      await opened.settled();
    }
    expect(opened.refusals).toEqual([]);
    expect(opened.problems).toEqual([]);
    await opened.close();
  });

  test("nothing of what a read key may not do is on the playground", async () => {
    const opened = await browser.open();
    await opened.signIn(READ);
    await opened.go("Playground");
    await opened.query.fill("nothing like it");
    await opened.page.getByText("Nothing was found").waitFor();
    expect(await opened.page.getByRole("button", { name: /synonym/i }).count()).toBe(0);
    await opened.close();
  });

  const HOSTILE = {
    markup: '<img src=x onerror="window.hit=1"><script>window.hit=1</script>',
    link: "javascript:window.hit=1",
    turned: "abc\u202Edef\u2066ghi",
    entity: "&lt;b&gt; &amp; <b>bold</b>",
    marks: "\uE000private\uE001 use",
  };

  test("hostile documents are text, and large ones stall nothing", async () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f${i}`, { type: "text" }]));
    await server.createIndex("hostile", {
      fields: { id: { type: "text" }, title: { type: "text" }, body: { type: "text" }, ...fields },
      search_fields: ["title", "body"],
    });
    const many = Object.fromEntries(Object.keys(fields).map((name) => [name, `value of ${name}`]));
    await server.addCommitted("hostile", [
      ...Object.entries(HOSTILE).map(([id, text]) => ({ id, title: `evil ${text}`, body: `evil ${text}` })),
      { id: "large", title: "evil large", body: "evil word ".repeat(100_000) },
      { id: "many", title: "evil many", ...many },
    ]);
    const opened: ConsolePage = await browser.open();
    await opened.signIn(INGEST);
    const { page } = opened;
    await page.evaluate(
      "new PerformanceObserver((l) => { window.longest = Math.max(window.longest ?? 0, ...l.getEntries().map((e) => e.duration)); }).observe({ type: 'longtask' })",
    );
    await opened.go("Playground");
    await page.getByLabel("Index or federation").selectOption({ label: "hostile" });
    await opened.query.fill("evil");
    await expect.poll(async () => (await opened.hits()).length).toBe(7);
    const titles = await opened.hits();
    for (const text of [HOSTILE.markup, HOSTILE.link, HOSTILE.entity])
      expect(titles).toContain(`evil ${text}`);
    expect(await page.locator(".hit img, .hit script, .hit a").count()).toBe(0);
    for (const name of ["evil large", "evil many"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    }
    await page.getByText("JSON", { exact: true }).first().click();
    await page.goto(`${server.running.url}/console/documents/hostile`);
    await page.getByText("7 documents").waitFor();
    expect(await page.evaluate("window.hit")).toBeUndefined();
    expect(opened.problems).toEqual([]);
    await opened.close();
  });
});
