// Each page's main deeds, as a person does them; and what each page looks like to those who see little or use no mouse.
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ADMIN, type WireServer } from "../wire/wire-server.js";
import { ConsoleBrowser, type ConsolePage, describeInBrowser } from "./console-harness.js";
import { startSampleServer } from "./sample-server.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describeInBrowser("the pages", () => {
  let server: WireServer;
  let browser: ConsoleBrowser;
  let opened: ConsolePage;
  beforeAll(async () => {
    server = await startSampleServer();
    await server.createIndex("books", { language: "en" });
    await server.addCommitted("books", [
      { id: "1", title: "The garden" },
      { id: "2", title: "The yard" },
    ]);
    await server.post("/index/packages/synonyms", ["ide:editor"]);
    await server.post("/auth/key", { name: "shop", permissions: 1, allowed_indexes: ["books"] });
    await server.post("/federation", {
      name: "everything",
      index_configurations: [{ name: "books" }, { name: "packages" }],
    });
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
  const confirm = async (name: string, action: string): Promise<void> => {
    const dialog = opened.page.getByRole("dialog").last();
    expect(await dialog.getByRole("button", { name: action }).isDisabled()).toBe(true);
    await dialog.getByLabel(`To go on, type “${name}”`).fill(name);
    await dialog.getByRole("button", { name: action }).click();
  };

  test("playground: facets, why, two settings, the request, all in the address", async () => {
    const { page, query } = await admin("/playground?index=packages");
    await query.fill("stratgy");
    await expect.poll(() => opened.hits()).not.toEqual([]);
    const found = page.getByText(/^\d+ found in/);
    const all = Number.parseInt(await found.innerText(), 10);
    await page.getByRole("checkbox", { name: /^games/ }).check();
    await expect.poll(async () => Number.parseInt(await found.innerText(), 10)).toBeLessThan(all);
    expect(new URL(page.url()).searchParams.get("filter")).toBe("section:/games");
    await page.getByRole("button", { name: "Why?" }).first().click();
    await page.getByRole("dialog").getByText("It is", { exact: false }).first().waitFor();
    // Beside any other hit of the page, part by part.
    const why = page.getByRole("dialog");
    await why.getByLabel("Compare with").selectOption({ index: 1 });
    const [first, , third] = await opened.hits();
    const parts = why.getByRole("table", { name: `“${first}” beside “${third}”` });
    await parts.getByRole("row").nth(1).waitFor();
    expect(await parts.getByRole("row").count()).toBeGreaterThan(1);
    await page.keyboard.press("Escape");
    await page.locator("summary", { hasText: "Request" }).click();
    await page.getByText("curl", { exact: true }).click();
    await page.getByText("/index/packages/search").waitFor();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("heading", { name: "B", exact: true }).first().waitFor();
    const address = page.url();
    await page.reload();
    await page.getByRole("heading", { name: "B", exact: true }).first().waitFor();
    expect(page.url()).toBe(address);
    await page.getByText("Where the time went").waitFor();
  });

  test("playground: conditions put together from the schema, in the address and as text", async () => {
    const { page } = await admin("/playground?index=packages&q=editor");
    const found = page.getByText(/^[\d,]+ found in/);
    const foundAre = (count: number) =>
      expect.poll(async () => Number.parseInt((await found.innerText()).replace(",", ""), 10)).toBe(count);
    const countOf = async (query: unknown): Promise<number> =>
      (await server.post("/index/packages/search", { query })).json.data.count;
    const text = { occur: "must", fuzzy: { ctx: "editor" } };
    await page.getByRole("button", { name: "Add a condition" }).click();
    // By keyboard: each part is reached by Tab and chosen by its first letters.
    await page.getByLabel("Field").focus();
    await page.keyboard.type("installed");
    await expect.poll(() => page.getByLabel("Field").inputValue()).toBe("installed_size");
    await page.getByLabel("Comparison").selectOption("be more than");
    await page.getByLabel("Value", { exact: true }).fill("1000");
    await foundAre(await countOf([text, { occur: "must", exact: { ctx: "installed_size:>1000" } }]));
    await page.getByRole("button", { name: "Add a condition" }).click();
    await page.getByLabel("How it counts").last().selectOption("must not");
    await page.getByLabel("Field").last().selectOption("section");
    expect(await page.getByLabel("Comparison").last().locator("option").allInnerTexts()).toEqual([
      "be or be below",
      "be one of",
      "have a value",
    ]);
    await page.getByLabel("Value", { exact: true }).last().fill("/editors");
    const both = await countOf([
      text,
      { occur: "must", exact: { ctx: "installed_size:>1000 -section:/editors" } },
    ]);
    await foundAre(both);
    await page.reload();
    await page.getByText('installed_size:>"1000" -section:"/editors"').waitFor();
    await foundAre(both);
    await page.getByRole("button", { name: "Write them as text" }).click();
    await expect.poll(() => page.getByLabel("Comparison").count()).toBe(0);
    expect(await page.getByLabel("Must match (query language)").inputValue()).toBe(
      'installed_size:>"1000" AND -section:"/editors"',
    );
    await foundAre(both);
  });

  test("playground: a federation", async () => {
    const { page, query } = await admin("/playground");
    await page.getByLabel("Index or federation").selectOption({ label: "everything" });
    await query.fill("garden");
    await expect.poll(() => opened.hits()).toContain("The garden");
  });

  test("documents: look, edit, add, delete, and roll back or commit", async () => {
    const { page } = await admin("/documents/books");
    await page.getByText("2 documents").waitFor();
    await page.getByRole("button", { name: "Add documents" }).click();
    await page.getByRole("dialog").getByLabel("Document").fill('{"id": "3", "title": "The hedge"}');
    await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
    await page.getByText("Waiting for a commit: 1 added").waitFor();
    await page.getByRole("button", { name: "Commit" }).click();
    await page.getByText("3 documents").waitFor();

    await page.getByLabel("Filter (query language)").fill("title:hedge");
    await page.keyboard.press("Enter");
    await page.getByText("1 document", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete what matches" }).click();
    await confirm("books", "Delete what matches");
    await page.getByText("Waiting for a commit: 1 deleted").waitFor();
    await page.getByRole("button", { name: "Roll back" }).click();
    await confirm("books", "Roll back");
    await page.getByText("Rolled back.").waitFor();
    expect(await server.idsOf("books", "*")).toEqual(["1", "2", "3"]);
    await server.delete("/index/books/documents", { id: "3" });
    await server.post("/index/books/commit");
  });

  test("documents: what matches is exported page by page, and the export stops when told to", async () => {
    const { page } = await admin("/documents/packages");
    const shown = page.getByText(/^[\d,]+ documents/).first();
    const count = Number.parseInt((await shown.innerText()).replaceAll(",", ""), 10);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export what matches" }).click();
    const lines = readFileSync(await (await saved).path(), "utf8").split("\n");
    expect(lines.pop()).toBe("");
    expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(count);
    // The next page never comes.
    await page.route("**/index/packages/search", (route) =>
      route.request().postData()?.includes('"cursor":"') === true ? undefined : route.continue(),
    );
    await page.getByRole("button", { name: "Export what matches" }).click();
    await page.getByText(/^[\d,]+ of [\d,]+ documents$/).waitFor();
    await page.getByRole("button", { name: "Stop the export" }).click();
    await page.getByRole("button", { name: "Export what matches" }).waitFor();
    expect(await page.getByText("documents exported").count()).toBe(1);
  });

  test("documents: a change is made to what was seen, digit by digit, or not at all", async () => {
    const fields = { id: { type: "text" }, title: { type: "text" }, number: { type: "u64" } };
    await server.createIndex("numbers", { fields });
    const headers = { "content-type": "application/json" };
    const body = '[{"id":"1","title":"The garden","number":9007199254740993}]';
    await server.send("POST", "/index/numbers/documents", { key: ADMIN, body, headers });
    await server.post("/index/numbers/commit");
    const { page } = await admin("/documents/numbers");
    // What is said of it all is in dialogs, too.
    const dialog = page.getByRole("dialog", { name: /^Document/ });
    const edit = async (word: string): Promise<void> => {
      await page.getByRole("button", { name: "The garden" }).click();
      await dialog.locator(".cm-content").getByText("9007199254740993").waitFor();
      await dialog.locator(".cm-line", { hasText: "The garden" }).click();
      await page.keyboard.press("End");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.type(word);
      await dialog.getByRole("button", { name: "Save the change" }).click();
    };
    await edit(" gate");
    await page.getByText("The document is changed, pending until the commit.").waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
    // Another one is bound to the document as it was before the first.
    await edit(" wall");
    await dialog.getByText("Nothing was saved").waitFor();
    expect(opened.refusals.splice(0)).toEqual(["409 /index/numbers/documents"]);
    await server.post("/index/numbers/commit");
    await dialog.getByRole("button", { name: "Load it as it is now" }).click();
    await dialog.locator(".cm-content").getByText("The garden gate").waitFor();
    const { text } = await server.post("/index/numbers/search", { query: { exact: { ctx: "*" } } });
    expect(text).toContain('{"id":"1","title":"The garden gate","number":9007199254740993}');
    await page.keyboard.press("Escape");
    await server.delete("/index/numbers");
  });

  test("aliases: given, moved at once, deleted; the key and the fields' ways are shown", async () => {
    for (const name of ["shelf-1", "shelf-2"]) {
      await server.createIndex(name, {
        fields: {
          id: { type: "text" },
          maker: { type: "facet", hierarchical: false },
          price: { type: "f64", coerce: true, format: "1.234,56" },
        },
        primary_key: "id",
      });
    }
    const { page } = await admin("/index/shelf-1");
    for (const way of ["flat", "read as written", "read as 1.234,56", "Primary key"])
      await page.getByText(way, { exact: true }).first().waitFor();
    await page.getByRole("tab", { name: "Aliases" }).click();
    for (const alias of ["shelf", "rack"]) {
      await page.getByLabel("New alias").fill(alias);
      await page.keyboard.press("Enter");
      await page.getByText(`“${alias}” stands for “shelf-1”.`).waitFor();
      await page.getByLabel(`${alias} stands for`).selectOption("shelf-2");
    }
    await page.getByRole("button", { name: "Move 2 at once" }).click();
    await page.getByText("The aliases are moved, all at once.").waitFor();
    expect((await server.get("/alias")).json.data).toEqual([
      { alias: "rack", index: "shelf-2" },
      { alias: "shelf", index: "shelf-2" },
    ]);
    for (const alias of ["shelf", "rack"]) {
      await page.getByRole("button", { name: `Delete: ${alias}` }).click();
      await confirm(alias, "Delete");
      await page.getByText(`The alias ${alias} is deleted.`).waitFor();
    }
    await page.getByRole("tab", { name: "Settings" }).click();
    expect(await page.getByLabel("Primary key").inputValue()).toBe("id");
    for (const name of ["shelf-1", "shelf-2"]) await server.delete(`/index/${name}`);
  });

  test("a file that is dropped becomes an index, its schema guessed, its bad lines named", async () => {
    const { page } = await admin("/index/new");
    const csv = "id;name;price;section\n1;Pear;2.5;/fruit\n2;Leek;1.2;/vegetables\n";
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "Green Things.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await page.getByText("2 records, CSV").waitFor();
    expect(await page.getByLabel("Type: price").inputValue()).toBe("f64");
    expect(await page.getByLabel("Type: section").inputValue()).toBe("facet");
    await page.getByRole("button", { name: "Create the index and add them" }).click();
    await page.getByText("2 documents are in.").waitFor();
    expect(await server.idsOf("green-things", "section:/fruit")).toEqual(["1"]);

    await opened.go("Documents");
    await page.getByLabel("Index", { exact: true }).selectOption("green-things");
    await page.getByRole("button", { name: "Upload a file" }).click();
    const lines = '{"id":"3","name":"Beet"}\n{"id":\n[7]\n';
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "more.ndjson", mimeType: "text/plain", buffer: Buffer.from(lines) });
    await page.getByText("2 records can't be read").click();
    await page.getByText("Record 3: a document must be a JSON object").waitFor();

    await page.goto(`${server.running.url}/console/index/green-things?tab=settings`);
    await page.getByRole("button", { name: "Delete this index" }).click();
    await page.getByRole("dialog").getByText("There is no way back").waitFor();
    await confirm("green-things", "Delete");
    await page.getByText("The index green-things is deleted.").waitFor();
    expect((await server.get("/index/green-things")).status).toBe(404);
  });

  test("index: made by hand; weights and settings are shown before they are changed", async () => {
    const { page } = await admin("/index/new");
    await page.getByLabel("Name of the index").fill("handmade");
    await page.getByRole("button", { name: "Create an index" }).click();
    await page.getByText("The index handmade is there.").waitFor();

    await page.goto(`${server.running.url}/console/index/packages?tab=ranking`);
    await page.getByLabel("Query to preview").fill("editor");
    await expect.poll(() => opened.hits()).not.toEqual([]);
    const before = await opened.hits();
    await page.getByLabel("Weight of description").focus();
    for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowRight");
    await expect.poll(() => opened.hits()).not.toEqual(before);
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.getByRole("dialog").getByText("weight_multipliers").waitFor();
    expect((await server.get("/index/packages")).json.data.weight_multipliers.description).toBeUndefined();
    await page.getByRole("button", { name: "Apply changes" }).click();
    await page.getByText("The changes are in force.").waitFor();
    expect((await server.get("/index/packages")).json.data.weight_multipliers.description).toBe(7);
    await server.patch("/index/packages", { weight_multipliers: { name: 4, title: 2 } });
    await server.delete("/index/handmade");
  });

  test("synonyms: added, taken back, removed", async () => {
    const { page } = await admin("/index/books?tab=synonyms");
    await page.getByLabel("When people search for").fill("lawn");
    await page.getByLabel("also find").fill("garden, yard");
    await page.keyboard.press("Enter");
    await page.getByRole("row", { name: /lawn/ }).waitFor();
    expect((await server.get("/index/books/synonyms")).json.data).toEqual({ lawn: ["garden", "yard"] });
    await page.getByRole("button", { name: "Remove: lawn" }).click();
    await page.getByText("The synonym “lawn” is gone.").waitFor();
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByRole("row", { name: /lawn/ }).waitFor();
    await page.getByRole("button", { name: "Paste many" }).click();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Take from a file" }).click();
    const buffer = Buffer.from("\uFEFFhedge:bush\r\n\r\npool:pond,lake\r\n");
    await (await chooser).setFiles({ name: "synonyms.txt", mimeType: "text/plain", buffer });
    await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
    await page.getByText("2 lines added.").waitFor();
    expect((await server.get("/index/books/synonyms")).json.data).toEqual({
      hedge: ["bush"],
      lawn: ["garden", "yard"],
      pool: ["pond", "lake"],
    });
    await server.delete("/index/books/synonyms/all");
  });

  test("stopwords: added, removed, taken back", async () => {
    const { page } = await admin("/index/books?tab=words");
    await page.getByLabel("Add stopwords").fill("hereby");
    await page.keyboard.press("Enter");
    await page.locator("summary", { hasText: "Stopwords" }).click();
    await page.getByRole("button", { name: "Remove: hereby" }).click();
    await page.getByText("“hereby” is no stopword any longer.").waitFor();
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByRole("button", { name: "Remove: hereby" }).waitFor();
    await server.delete("/index/books/stopwords", ["hereby"]);
  });

  test("measure: figures, a chart, and a file", async () => {
    const { page } = await admin("/measure");
    await page.getByText("Terms without results").waitFor();
    await page.locator("canvas").first().waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).first().click();
    const path = await (await saved).path();
    expect(readFileSync(path, "utf8")).toMatch(/^Term,Searches\r\n/);
  });

  test("keys: made, rotated, switched off, deleted", async () => {
    const { page } = await admin("/keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("blog");
    await page.getByRole("dialog").getByLabel("Which indexes").fill("books");
    await page.keyboard.press("Enter");
    const card = page.locator("section.card", { has: page.getByRole("heading", { name: "blog" }) });
    await card.first().waitFor();
    // It ends, and says when it was used.
    const { key } = (await server.get("/auth/key")).json.data.find(
      ({ name }: { name: string }) => name === "blog",
    );
    await card.getByText("never seen").waitFor();
    expect((await server.get("/index", key)).status).toBe(200);
    const limit = async (lastDay: string): Promise<void> => {
      await card.getByRole("button", { name: "Change the last day" }).click();
      await page.getByRole("dialog").getByLabel("Last day").fill(lastDay);
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    };
    await limit("2020-01-31");
    await card.getByText("expired", { exact: true }).waitFor();
    expect(await card.getByText("never seen").count()).toBe(0);
    expect((await server.get("/index", key)).json.data.code).toBe("inactive_key");
    await limit("");
    await card.getByText("active", { exact: true }).waitFor();
    expect((await server.get("/index", key)).status).toBe(200);
    await card.first().getByRole("button", { name: "Rotate" }).click();
    await expect.poll(() => card.count()).toBe(2);
    await card.first().getByRole("button", { name: "Deactivate" }).click();
    await card.first().getByText("inactive").waitFor();
    await card.first().getByRole("button", { name: "Delete" }).click();
    await confirm("blog", "Delete");
    await expect.poll(() => card.count()).toBe(1);
  });

  test("federations: made and deleted", async () => {
    const { page } = await admin("/federations");
    await page.getByRole("button", { name: "Create a federation" }).click();
    await page.getByLabel("Name of the federation").fill("shelf");
    await page.getByRole("dialog").getByRole("checkbox", { name: "books" }).check();
    await page.getByRole("button", { name: "Save" }).click();
    const card = page.locator("section.card", { has: page.getByRole("heading", { name: "shelf" }) });
    await card.waitFor();
    await card.getByRole("button", { name: "Delete" }).click();
    await confirm("shelf", "Delete");
    await expect.poll(() => card.count()).toBe(0);
  });

  test("operations and the API: log, settings, a request that is sent, the manual", async () => {
    const { page } = await admin("/operations?tab=log");
    await page.getByText("msg", { exact: false }).or(page.getByText("INFO request")).first().waitFor();
    await page.getByRole("tab", { name: "Configuration" }).click();
    await page.getByLabel("Filter settings").fill("slow");
    await page.getByText("FINDLING_SLOW_SEARCH_MS").waitFor();
    await opened.go("API");
    await page.getByText("/healthcheck").click();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("service is healthy").first().waitFor();
    await page.getByRole("tab", { name: "Manual" }).click();
    const manual = page.frameLocator('iframe[title="Manual"]');
    await manual.getByRole("link", { name: "Modes, and which one for what" }).first().click();
    await manual.getByRole("heading", { name: "fuzzy" }).waitFor();
    // The address names the page, and the frame alone has more than fits.
    await expect.poll(() => page.url()).toMatch(/\/api\/manual\/modes$/);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBeLessThanOrEqual(
        0,
      );
    }
    await page.goBack();
    await opened.heading("API").waitFor();
    // The manual's link to the reference leads to the console's own, which can send requests.
    await page.getByRole("tab", { name: "Manual" }).click();
    await manual.getByRole("link", { name: "API reference" }).click();
    await page.getByRole("tab", { name: "Reference", selected: true }).waitFor();
    await page.getByText("Reads a key by itself or by its id;").waitFor();
  });

  test("by keyboard alone: to a page, a search, a filter, and back out", async () => {
    const { page, query } = await admin();
    await opened.heading("Overview").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to…" }).waitFor();
    await page.keyboard.type("playground packages");
    // What there is to go to has to be known first.
    await page
      .getByRole("option", { name: /packages/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await opened.heading("Playground").waitFor();
    await page.locator("body").focus();
    await page.keyboard.press("Escape");
    await page.getByLabel("Index or federation").focus();
    await page.keyboard.press("/");
    await page.keyboard.type("editor");
    expect(await query.inputValue()).toBe("editor");
    await expect.poll(() => opened.hits()).not.toEqual([]);
    await page.getByRole("checkbox", { name: /^editors/ }).focus();
    await page.keyboard.press("Space");
    await expect.poll(() => page.url()).toContain("filter=section");
    const explains = async (): Promise<boolean> => {
      // A busy machine may take longer to open it than was waited for.
      if ((await page.getByRole("dialog").count()) > 0) return true;
      // Hits that come anew for the filter take the focus of the old ones with them.
      await page.getByRole("button", { name: "Why?" }).first().focus();
      await page.keyboard.press("Enter");
      const isOpen = page.getByRole("dialog").waitFor({ timeout: 2_000 });
      return isOpen.then(
        () => true,
        () => false,
      );
    };
    await expect.poll(explains).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  const PAGES = [
    "/overview",
    "/playground?index=packages&q=pasword+manger",
    "/playground?index=packages&q=pasword&compare=1",
    "/playground?index=packages&q=pasword&view=table",
    "/playground?index=packages&clause=must:between:installed_size:10:20&clause=must_not:is:arch_independent:true",
    "/documents/packages",
    "/index/packages",
    "/index/packages?tab=ranking",
    "/index/packages?tab=synonyms",
    "/index/packages?tab=words",
    "/index/packages?tab=settings",
    "/index/new",
    "/federations",
    "/summaries/packages",
    "/measure",
    "/keys",
    "/operations",
    "/operations?tab=log",
    "/operations?tab=configuration",
    "/api",
    "/api/manual/modes",
  ];

  test.each(["light", "dark"] as const)("axe finds nothing on any page, %s", async (theme) => {
    opened = await browser.open("", { theme });
    const found: string[] = [];
    const look = async (name: string): Promise<void> => {
      // Without a word from the page, which its policy would refuse.
      await opened.page.evaluate(AXE);
      const violations = await opened.page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
        "axe.run().then(({ violations }) => violations)",
      );
      found.push(...violations.map(({ id, nodes }) => `${name}: ${id} at ${nodes[0]!.html.slice(0, 120)}`));
    };
    await opened.page.getByLabel("Access key").waitFor();
    await look("sign in");
    await opened.signIn(ADMIN);
    for (const path of PAGES) {
      await opened.page.goto(`${server.running.url}/console${path}`);
      await opened.page.getByRole("heading", { level: 1 }).waitFor();
      await opened.settled();
      await look(path);
    }
    expect(found).toEqual([]);
  });

  test.each([360, 1024, 1920])("no page is wider than a window of %d pixels", async (width) => {
    opened = await browser.open("", { width });
    await opened.signIn(ADMIN).catch(() => undefined);
    const wide: string[] = [];
    for (const path of PAGES) {
      await opened.page.goto(`${server.running.url}/console${path}`);
      await opened.page.getByRole("heading", { level: 1 }).waitFor();
      await opened.settled();
      const beyond = await opened.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (beyond > 0) wide.push(`${path} by ${beyond}`);
    }
    expect(wide).toEqual([]);
    opened.refusals.splice(0);
  });

  const KB = 1024;
  test("the first page takes at most 130 kB of scripts, the playground 280, gzipped", async () => {
    opened = await browser.open();
    const { page } = opened;
    const scripts = new Set<string>();
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.endsWith(".js")) scripts.add(pathname);
    });
    const size = (): number =>
      [...scripts].reduce(
        (sum, path) =>
          sum + statSync(new URL(`../../dist${path}.gz`, import.meta.url), { throwIfNoEntry: true }).size,
        0,
      );
    await page.reload();
    await page.getByLabel("Access key").waitFor();
    expect(size()).toBeGreaterThan(10 * KB);
    expect(size()).toBeLessThanOrEqual(130 * KB);
    await opened.signIn(ADMIN);
    scripts.clear();
    await page.goto(`${server.running.url}/console/playground?index=packages&q=editor`);
    await expect.poll(() => opened.hits()).not.toEqual([]);
    expect(size()).toBeLessThanOrEqual(280 * KB);
  });
});
