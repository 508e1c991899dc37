// Each page's main deed by keyboard alone, and what is done taken back; what is drawn and dated as the viewer reads it.

import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ADMIN, type WireServer } from "../wire/wire-server.js";
import { ConsoleBrowser, type ConsolePage, describeInBrowser } from "./console-harness.js";
import { startSampleServer } from "./sample-server.js";

describeInBrowser("deeds of the pages", () => {
  let server: WireServer;
  let browser: ConsoleBrowser;
  let opened: ConsolePage;
  beforeAll(async () => {
    server = await startSampleServer();
    for (const name of ["books", "films", "notes"]) {
      await server.createIndex(name, { language: "en" });
      await server.addCommitted(name, [{ id: name, title: "The garden" }]);
    }
    await server.post("/federation", {
      name: "everything",
      index_configurations: [{ name: "books", weight_multiplier: 2 }, { name: "films" }],
    });
    const keys = [
      { name: "for all of them", permissions: 1, allowed_indexes: ["books", "films"] },
      { name: "for one", permissions: 1, allowed_indexes: ["books"] },
      { name: "by name", permissions: 1, allowed_indexes: [], federation_name: "everything" },
    ];
    for (const key of keys) await server.post("/auth/key", key);
    browser = await ConsoleBrowser.start(server.running.url);
  });
  afterAll(async () => {
    await browser.close();
    await server.stopAndRemove();
  });
  afterEach(async () => {
    expect(opened.problems).toEqual([]);
    expect(opened.refusals).toEqual([]);
    await opened.close();
  });

  const admin = async (path = ""): Promise<ConsolePage> => {
    opened = await browser.open(path);
    return opened.signIn(ADMIN);
  };
  const press = (key: string): Promise<void> => opened.page.keyboard.press(key);
  const type = (text: string): Promise<void> => opened.page.keyboard.type(text);
  const tabTo = (place: Locator): Promise<void> => opened.tabTo(place);
  const command = async (words: string, found: string): Promise<void> => {
    await press("Control+k");
    await opened.page.getByRole("combobox", { name: "Go to…" }).waitFor();
    await type(words);
    await opened.page.getByRole("option", { name: found, exact: true }).waitFor();
    await press("Enter");
  };
  const undo = (): Promise<void> => opened.page.getByRole("button", { name: "Undo" }).last().click();
  const weightsOf = async (): Promise<unknown> =>
    (await server.get("/federation/everything")).json.data?.index_configurations;

  test("federations: a query's order as weights are moved, its keys, and what was done taken back", async () => {
    const { page } = await admin("/federations");
    await page.getByText("Keys that may search it:").waitFor();
    const keys = await page.locator("p", { hasText: "Keys that may search it:" }).innerText();
    expect(keys).toContain("for all of them");
    expect(keys).toContain("by name");
    expect(keys).not.toContain("for one");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Query to preview").fill("garden");
    const sources = page.getByRole("dialog").locator(".hit .badge:not(.badge-good, .badge-bad)");
    await expect.poll(() => sources.allInnerTexts()).toEqual(["books", "films"]);
    // An index that isn't a member yet is looked at before it is saved.
    await page.getByRole("checkbox", { name: "notes" }).check();
    await expect.poll(() => sources.allInnerTexts()).toEqual(["books", "films", "new here", "notes"]);
    await page.getByRole("checkbox", { name: "notes" }).uncheck();
    await expect.poll(() => sources.allInnerTexts()).toEqual(["books", "films"]);
    await page.getByLabel("Weight of films").focus();
    for (let i = 0; i < 20; i++) await press("ArrowRight");
    await expect.poll(() => sources.allInnerTexts()).toEqual(["films", "books"]);
    const before = await weightsOf();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The federation everything is saved.").waitFor();
    expect(await weightsOf()).toEqual([
      { name: "books", weight_multiplier: 2 },
      { name: "films", weight_multiplier: 3 },
    ]);
    const found = await server.post("/federation/everything/search", { query: { fuzzy: { ctx: "garden" } } });
    expect(found.json.data.hits.map((hit: { source_index: string }) => hit.source_index)).toEqual([
      "films",
      "books",
    ]);
    await undo();
    await expect.poll(weightsOf).toEqual(before);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByLabel("To go on, type “everything”").fill("everything");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The federation everything is deleted.").waitFor();
    await undo();
    await expect.poll(weightsOf).toEqual(before);
    await page.getByRole("heading", { name: "everything" }).waitFor();
  });

  test("aliases: moved and deleted, and taken back", async () => {
    await server.put("/alias/shop", { index: "books" });
    const { page } = await admin("/index/books?tab=aliases");
    const target = async (): Promise<unknown> =>
      (await server.get("/alias")).json.data.find(({ alias }: { alias: string }) => alias === "shop")?.index;
    await page.getByLabel("shop stands for").selectOption("films");
    await page.getByRole("button", { name: "Move it" }).click();
    await expect.poll(target).toBe("films");
    await undo();
    await expect.poll(target).toBe("books");
    await page.getByRole("button", { name: "Delete: shop" }).click();
    await page.getByRole("dialog").getByLabel("To go on, type “shop”").fill("shop");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect.poll(target).toBe(undefined);
    await undo();
    await expect.poll(target).toBe("books");
    await server.delete("/alias/shop");
  });

  test("what was made is gone again, a name that was given away is back", async () => {
    const targets = async (): Promise<unknown> =>
      Object.fromEntries(
        (await server.get("/alias")).json.data.map(({ alias, index }: Record<"alias" | "index", string>) => [
          alias,
          index,
        ]),
      );
    await server.put("/alias/held", { index: "films" });
    const { page } = await admin("/index/books?tab=aliases");
    const give = async (alias: string): Promise<void> => {
      await page.getByLabel("New alias").fill(alias);
      await page.getByRole("button", { name: "Set alias" }).click();
    };
    await give("fresh");
    await expect.poll(targets).toEqual({ held: "films", fresh: "books" });
    await undo();
    await expect.poll(targets).toEqual({ held: "films" });
    await give("held");
    await expect.poll(targets).toEqual({ held: "books" });
    await undo();
    await expect.poll(targets).toEqual({ held: "films" });
    await server.delete("/alias/held");
  });

  test("a federation that was made is gone again", async () => {
    const { page } = await admin("/federations");
    const names = async (): Promise<unknown> =>
      (await server.get("/federation")).json.data.map(({ name }: { name: string }) => name);
    await page.getByRole("button", { name: "Create a federation" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name of the federation").fill("brief");
    await dialog.getByLabel("films", { exact: true }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(names).toEqual(["brief", "everything"]);
    await undo();
    await expect.poll(names).toEqual(["everything"]);
  });

  test("what can't be taken back is said, in the server's words", async () => {
    const index = { name: "short-lived", fields: { title: { type: "text" } } };
    await server.post("/index", index);
    await server.put("/alias/brief", { index: "short-lived" });
    const { page } = await admin("/index/short-lived?tab=aliases");
    await page.getByRole("button", { name: "Delete: brief" }).click();
    await page.getByRole("dialog").getByLabel("To go on, type “brief”").fill("brief");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The alias brief is deleted.").waitFor();
    await server.delete("/index/short-lived");
    await undo();
    await page.locator(".toast-error", { hasText: "short-lived" }).waitFor();
    opened.refusals.length = 0;
    opened.problems.length = 0;
  });

  test("measure: where people click is drawn; a chart's moment is told in the viewer's zone and in UTC", async () => {
    const { page } = await admin("/measure");
    const positions = page.getByRole("table", { name: "Where people click" });
    await positions.locator(".position-bar").first().waitFor();
    const widths = await positions
      .locator(".position-bar")
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    const places = await positions.locator("td.number").allInnerTexts();
    const longest = places.map(Number).indexOf(Math.max(...places.map(Number)));
    expect(widths[longest]).toBe(Math.max(...widths));
    const plot = page.locator(".chart .u-over").first();
    await plot.hover();
    await page
      .locator(".chart .u-legend")
      .first()
      .getByText(/\(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)/)
      .waitFor();
  });

  test("operations: each line of the log has its moment, in UTC where it is pointed at", async () => {
    const { page } = await admin("/operations?tab=log");
    const moment = page.locator(".log-line time").first();
    await moment.waitFor();
    expect(await moment.getAttribute("title")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  });

  test("index: a language model is set by a form, its key never shown again", async () => {
    const { page } = await admin("/index/films?tab=settings");
    await page.locator("summary", { hasText: "AI settings" }).click();
    await page.getByLabel("Provider of the model").selectOption("OpenAI, or a compatible server");
    await page.getByLabel("Model, by the provider's name").fill("a-model");
    await page.getByLabel("Key of the provider").fill("a secret");
    await page.getByLabel("Documents that are read at most").fill("7");
    await page.getByRole("button", { name: "Review changes" }).click();
    expect(await page.getByRole("dialog").innerText()).not.toContain("a secret");
    await page.getByRole("button", { name: "Apply changes" }).click();
    await page.getByText("The changes are in force.").waitFor();
    const { ai } = (await server.get("/index/films")).json.data;
    expect(ai).toMatchObject({
      llm_provider: "openai",
      llm_api_key: "********",
      search_summary: { model: "a-model", max_results: 7 },
    });
  });

  test("by keyboard alone: from the overview to an index's search", async () => {
    const { page } = await admin("/overview");
    await tabTo(page.getByRole("button", { name: "books", exact: true }));
    await press("Enter");
    await opened.heading("Playground").waitFor();
    await press("/");
    await type("garden");
    await expect.poll(() => opened.hits()).toEqual(["The garden"]);
  });

  test("by keyboard alone: a document is added, a synonym as well", async () => {
    const { page } = await admin("/documents/books");
    await tabTo(page.getByRole("button", { name: "Add documents" }));
    await press("Enter");
    await tabTo(page.getByRole("dialog").getByLabel("Document"));
    await type('{"id": "typed", "title": "Typed"}');
    await tabTo(page.getByRole("dialog").getByRole("button", { name: "Add" }));
    await press("Enter");
    await page.getByText("One document added, pending.").waitFor();
    await tabTo(page.getByRole("button", { name: "Commit" }));
    await press("Enter");
    await expect.poll(() => server.idsOf("books", "typed")).toEqual(["typed"]);
    await command("synonyms books", "Index: books: Synonyms");
    await tabTo(page.getByLabel("When people search for"));
    await type("lawn");
    await press("Tab");
    await type("garden");
    await press("Enter");
    await page.getByRole("row", { name: /lawn/ }).waitFor();
  });

  test("by keyboard alone: a federation and a key are made from the palette", async () => {
    const { page } = await admin();
    await command("create federation", "Federations: Create a federation");
    await tabTo(page.getByLabel("Name of the federation"));
    await type("typed");
    await tabTo(page.getByRole("dialog").getByRole("checkbox", { name: "books" }));
    await press("Space");
    await press("Enter");
    await page.getByText("The federation typed is saved.").waitFor();
    await command("create key", "Keys: Create a key");
    await tabTo(page.getByRole("dialog").getByLabel("Name"));
    await type("typed key");
    await press("Enter");
    await page.getByRole("heading", { name: "typed key" }).waitFor();
  });

  test("by keyboard alone: a period is chosen, the log is read, a request is sent", async () => {
    const { page } = await admin("/measure");
    await tabTo(page.getByLabel("Period"));
    await press("ArrowUp");
    await expect.poll(() => page.url()).toContain("days=7");
    await command("operations log", "Operations: Log");
    await page.locator(".log-line").first().waitFor();
    await tabTo(page.getByLabel("Filter lines"));
    await type("measure");
    await expect.poll(() => page.locator(".log-line", { hasText: "measure" }).count()).toBeGreaterThan(0);
    await command("api", "API");
    await tabTo(page.getByLabel("Filter requests"));
    await type("healthcheck");
    await tabTo(page.locator("summary", { hasText: "/healthcheck" }).first());
    await press("Enter");
    await tabTo(page.getByRole("button", { name: "Send" }));
    await press("Enter");
    await page.getByText("service is healthy").first().waitFor();
  });

  test("what can be done is found in the palette, page by page", async () => {
    const { page } = await admin();
    for (const [words, found] of [
      ["create index", "Index: Create an index"],
      ["metrics", "Operations: Metrics"],
      ["films ranking", "Index: films: Ranking"],
      ["summaries films", "Summaries: films"],
      ["manual", "API: Manual"],
    ] as const) {
      await command(words, found);
      await page.getByRole("heading", { level: 1, name: found.split(":")[0]! }).waitFor();
    }
  });
});
