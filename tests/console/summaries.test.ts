// The try-out of summaries, with a model behind a socket.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ChatReply, FakeChatServer } from "../kit/fake-chat-server.js";
import { ADMIN, WireServer } from "../wire/wire-server.js";
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

  test("says what the model's refusal was", async () => {
    const reply = await ask(ADMIN, "autumn garden");
    reply.refuse(401, "{}");
    await opened.page.getByRole("alert").first().waitFor();
  });
});
