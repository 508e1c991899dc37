// The console is served, lets people in, and shows each of them what his key may do.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ADMIN, INGEST, READ, WireServer } from "../wire/wire-server.js";
import { ConsoleBrowser, type ConsolePage, describeInBrowser } from "./console-harness.js";

describeInBrowser("the console", () => {
  let server: WireServer;
  let browser: ConsoleBrowser;
  let opened: ConsolePage | undefined;
  beforeAll(async () => {
    server = await WireServer.start();
    await server.createIndex("books");
    await server.addCommitted("books", [
      { id: "1", title: "The garden" },
      { id: "2", title: "A <b>bold</b> garden" },
    ]);
    browser = await ConsoleBrowser.start(server.running.url);
  });
  afterAll(async () => {
    await browser.close();
    await server.stopAndRemove();
  });
  afterEach(async () => {
    expect(opened?.problems).toEqual([]);
    await opened?.close();
    opened = undefined;
  });

  const signedIn = async (key: string, path = ""): Promise<ConsolePage> => {
    opened = await browser.open(path);
    return opened.signIn(key);
  };

  test("asks for the key first, takes it with Enter, and says what is wrong with another", async () => {
    opened = await browser.open();
    const { page } = opened;
    const first = page.locator("input").first();
    expect(await first.getAttribute("name")).toBe("key");
    await expect.poll(() => page.locator("input[name=key]:focus").count()).toBe(1);
    await page.keyboard.type("nobodys-key");
    await page.keyboard.press("Enter");
    await page.getByText("the access key is not known").waitFor();
    await page.getByLabel("Access key").fill("");
    await opened.signIn(ADMIN);
    expect(page.url()).not.toContain(ADMIN);
    expect(await page.context().cookies()).toEqual([]);
  });

  const ADMINS_PAGES = [
    "Overview",
    "Playground",
    "Documents",
    "Index",
    "Federations",
    "Summaries",
    "Measure",
    "Keys",
    "Operations",
    "API",
  ];

  test.each([
    ["admin", ADMIN, ADMINS_PAGES],
    ["ingest", INGEST, ["Overview", "Playground", "Documents", "Index", "Summaries", "Measure", "API"]],
    ["read", READ, ["Overview", "Playground", "Summaries", "API"]],
  ])("shows the %s key its pages", async (_name, key, pages) => {
    const { navigation } = await signedIn(key);
    expect(await navigation.getByRole("link").allInnerTexts()).toEqual(pages);
  });

  test("the key goes with the tab if it isn't to be kept, and with signing out", async () => {
    const { page, navigation } = await signedIn(ADMIN);
    await page.reload();
    await navigation.waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Access key").fill(READ);
    await page.getByLabel("Stay signed in while this tab is open").uncheck();
    await page.getByRole("button", { name: "Sign in" }).click();
    await navigation.waitFor();
    await page.reload();
    await page.getByLabel("Access key").waitFor();
  });

  test("a link from the terminal signs in, once, and its code leaves the address", async () => {
    const link = new URL(server.running.signInLink()!);
    opened = await browser.open(link.hash);
    await opened.navigation.waitFor();
    expect(opened.page.url()).not.toContain("code");
    await opened.close();
    opened = await browser.open(link.hash);
    await opened.page.getByText("the sign-in code is not known, was used before").waitFor();
  });

  test("a search is answered as it is typed, and the address holds all of it", async () => {
    const { page, query } = await signedIn(READ);
    await opened!.go("Playground");
    await query.fill("gardn");
    await expect.poll(() => opened!.hits()).toEqual(["The garden", "A <b>bold</b> garden"]);
    expect(await page.locator(".hit b b, .hit-title b").count()).toBe(0);
    expect(await page.locator("mark").first().innerText()).toBe("garden");
    await page.reload();
    await expect.poll(() => opened!.hits()).toHaveLength(2);
    expect(await query.inputValue()).toBe("gardn");
  });

  test("unknown paths give the page, and unknown pages a word", async () => {
    const { page } = await signedIn(READ, "/nowhere");
    await page.getByText("There is no such page").waitFor();
    await page.goto(`${server.running.url}/console/keys`);
    await page.getByText("There is no such page, or this key may not see it").waitFor();
  });
});
