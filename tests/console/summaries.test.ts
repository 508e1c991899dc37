// The try-out of summaries: words on the screen while the model still speaks, and what they were made from.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ChatReply, FakeChatServer } from "../kit/fake-chat-server.js";
import { ADMIN, READ, WireServer } from "../wire/wire-server.js";
import { ConsoleBrowser, type ConsolePage, describeInBrowser } from "./console-harness.js";

describeInBrowser("the try-out of summaries", () => {
  let server: WireServer;
  let provider: FakeChatServer;
  let browser: ConsoleBrowser;
  let opened: ConsolePage;
  beforeAll(async () => {
    provider = await FakeChatServer.start();
    server = await WireServer.start({ llmAllowedBaseUrls: [provider.origin] });
    await server.createIndex("books", { ai_enabled: true, ai: provider.ai({ role: "You are a gardener." }) });
    await server.addCommitted("books", [
      { id: "1", title: "The garden in spring" },
      { id: "2", title: "The garden in autumn" },
      { id: "3", title: "The sea" },
    ]);
    browser = await ConsoleBrowser.start(server.running.url);
  });
  afterAll(async () => {
    await browser.close();
    await server.stopAndRemove();
    await provider.close();
  });
  afterEach(async () => {
    expect(opened.problems).toEqual([]);
    await opened.close();
  });

  const ask = async (key: string, question: string): Promise<ChatReply> => {
    const asked = provider.replies.length;
    provider.answer = () => undefined;
    opened = await browser.open("/summaries/books");
    await opened.signIn(key);
    await opened.page.getByLabel("Question").fill(question);
    await opened.page.keyboard.press("Enter");
    await expect.poll(() => provider.replies.length).toBe(asked + 1);
    return provider.replies[asked]!;
  };

  test("shows words as they come, then documents and time", async () => {
    const reply = await ask(ADMIN, "garden");
    const { page } = opened;
    const words = page.locator(".summary-words");
    await reply.say("Gardens <b>bloom</b> ");
    // The server takes markup out and sends whole words.
    await expect.poll(() => words.innerText()).toContain("Gardens bloom");
    // The model hasn't ended: it may still be stopped.
    expect(await page.getByRole("button", { name: "Stop" }).isVisible()).toBe(true);
    expect(await page.getByText("whole after").count()).toBe(0);
    await reply.say("in spring. Trees ");
    await expect.poll(() => words.innerText()).toContain("in spring.");
    reply.finish();
    await page.getByText("whole after").waitFor();
    await page.getByText("first word after").waitFor();
    await page.getByText("2 documents used").waitFor();
    await page.getByText("asked anew").waitFor();
    expect(await page.getByRole("heading", { name: "From these documents" }).count()).toBe(1);
    expect(await page.getByRole("listitem").filter({ hasText: "books/" }).count()).toBe(2);
    await page.getByText("100 tokens read").waitFor();
    await page.getByText("10 tokens written").waitFor();
    // What the model was told stands beside it, and what it was asked below.
    await page.locator("p", { hasText: "You are a gardener." }).waitFor();
    await page.getByText("What the model was asked").click();
    await expect
      .poll(() => page.locator("pre").allInnerTexts())
      .toEqual([
        expect.stringContaining("You are a gardener."),
        expect.stringContaining("title: The garden in spring"),
      ]);
    expect(opened.refusals).toEqual([]);
  });

  test("is stopped on demand, and the model with it", async () => {
    const reply = await ask(READ, "spring garden");
    const { page } = opened;
    await reply.say("One word ");
    await expect.poll(() => page.locator(".summary-words").innerText()).toContain("One word");
    await page.getByRole("button", { name: "Stop" }).click();
    await reply.closed;
    await page.getByRole("button", { name: "Summarize" }).waitFor();
    // The button that takes the place of "Stop" isn't pressed by the same click.
    expect(provider.replies.at(-1)).toBe(reply);
    expect(await page.locator(".summary-words").innerText()).toContain("One word");
    // What a key that may not see settings isn't told isn't asked for.
    expect(await page.getByText("What the model was asked").count()).toBe(0);
    expect(opened.refusals).toEqual([]);
  });

  test("by keyboard alone: asked, and stopped while the model speaks", async () => {
    const asked = provider.replies.length;
    provider.answer = () => undefined;
    opened = await browser.open("/summaries/books");
    const { page } = await opened.signIn(ADMIN);
    await opened.tabTo(page.getByLabel("Question"));
    await page.keyboard.type("garden in spring");
    await page.keyboard.press("Enter");
    await expect.poll(() => provider.replies.length).toBe(asked + 1);
    const reply = provider.replies[asked]!;
    await reply.say("One word more ");
    await page.getByText("One word").waitFor();
    await opened.tabTo(page.getByRole("button", { name: "Stop" }));
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    await reply.closed;
    expect(await page.locator(".summary-words").innerText()).toContain("One word");
  });

  test("says what the model's refusal was", async () => {
    const reply = await ask(ADMIN, "autumn garden");
    reply.refuse(401, "{}");
    await opened.page.getByRole("alert").first().waitFor();
  });
});
