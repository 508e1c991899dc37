// Somebody new, from the first start on: finds a package that he misspells, leads a term without results to what there
// is, and sees it work; without reading anything.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, spawnCli, temporaryFolder } from "../cli/cli-harness.js";
import { ConsoleBrowser, describeInBrowser } from "./console-harness.js";

describeInBrowser("somebody new", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: ReturnType<typeof spawnCli>;
  let browser: ConsoleBrowser;
  let link: URL;
  beforeAll(async () => {
    folder = await temporaryFolder();
    // As `npm start` does.
    server = spawnCli(["serve", "--port", "0", "--data-dir", folder.path]);
    for await (const line of createInterface({ input: server.stdout! })) {
      const [, address] = /the console, for people: +(\S+)/.exec(line) ?? [];
      if (address === undefined) continue;
      link = new URL(address);
      break;
    }
    server.stdout!.resume();
    server.stderr!.resume();
    browser = await ConsoleBrowser.start(link.origin);
  });
  afterAll(async () => {
    await browser.close();
    server.kill("SIGTERM");
    await once(server, "close");
    await folder.remove();
  });

  test("finds, tunes and sees it work", async () => {
    const opened = await browser.open(link.hash);
    const { page, query } = opened;
    await opened.heading("Overview").waitFor();
    await page.getByText("There is no index yet").waitFor();
    await page.getByText("npx findling demo").waitFor();
    const flags = ["--url", link.origin, "--data-dir", folder.path];
    expect(await runCli(["demo", "--events", ...flags])).toMatchObject({ code: 0 });
    await page.getByRole("row", { name: /packages/ }).waitFor();

    // What he misspells is found.
    await opened.go("Playground");
    await query.fill("pasword manger");
    await expect.poll(async () => (await opened.hits())[0]).toBe("cross-platform password manager");

    // What nobody finds leads to what there is.
    await opened.go("Measure");
    const row = page.getByRole("row", { name: /photoshop/ });
    await row.getByRole("button", { name: "Add a synonym: photoshop" }).click();
    await page.getByLabel("also find").fill("image editor");
    await page.getByRole("button", { name: "Add synonym" }).click();
    await page.getByText("“photoshop” finds “image editor” from now on.").waitFor();
    await page.getByRole("dialog").getByRole("link", { name: "Try it: photoshop" }).click();
    await opened.heading("Playground").waitFor();
    expect(await query.inputValue()).toBe("photoshop");
    await expect.poll(async () => (await opened.hits()).length).toBeGreaterThan(3);
    expect((await opened.hits()).join(" ")).toMatch(/image/i);

    expect(opened.problems).toEqual([]);
    await opened.close();
  });
});
