// Backups on the page Operations: made, read again, and an index of one restored under another name.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN, WireServer } from "../wire/wire-server.js";
import { ConsoleBrowser, describeInBrowser } from "./console-harness.js";

describeInBrowser("backups in the console", () => {
  let folder = "";
  let server: WireServer;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "findling-console-backups-"));
    server = await WireServer.start({ backupUrl: pathToFileURL(folder).href });
    await server.createIndex("books");
    await server.addCommitted("books", [
      { id: "1", title: "The garden" },
      { id: "2", title: "The sea" },
    ]);
    browser = await ConsoleBrowser.start(server.running.url);
  });
  afterAll(async () => {
    await browser.close();
    await server.stopAndRemove();
    rmSync(folder, { recursive: true, force: true });
  });

  test("are made, verified and restored, and the page says how far a restore is", async () => {
    const opened = await browser.open("/operations?tab=backups");
    await opened.signIn(ADMIN);
    const { page } = opened;
    await page.getByRole("button", { name: "Make a backup now" }).click();
    await page.getByText("1 indexes, 2 documents").waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("were read.").waitFor();
    await page.getByRole("button", { name: "Restore an index" }).click();
    await page.getByLabel("Name of the restored index").press("Enter");
    await page.getByText("books-restored is there, with 2 documents.").waitFor();
    expect((await server.get("/index/books-restored/stats")).json.data.document_count).toBe(2);
    await opened.go("Overview");
    await page.getByText("books-restored", { exact: true }).first().waitFor();
    expect(opened.problems).toEqual([]);
    expect(opened.refusals).toEqual([]);
  });
});
