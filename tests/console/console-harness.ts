import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Request,
} from "playwright-core";
import { describe, expect } from "vitest";

/** Debian's. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Without a browser these tests are left out, but where nothing may be. */
const isLeftOut = !existsSync(CHROMIUM) && process.env["FINDLING_TEST_ALL"] !== "1";

/** As `describe`, for tests in a browser. */
export const describeInBrowser = describe.skipIf(isLeftOut);

export interface ConsoleOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
  /** Whether the page's own scripts run. */
  readonly hasScripts?: boolean;
}

/** A browser that speaks with one server alone. */
export class ConsoleBrowser {
  readonly #browser: Browser;
  readonly #url: string;

  private constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  /** @param url of the server */
  static async start(url: string): Promise<ConsoleBrowser> {
    // As root, as CI is, Chromium doesn't start with its sandbox.
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    return new ConsoleBrowser(browser, url);
  }

  /** A window of the console that nobody is signed in to. */
  async open(path = "", options: ConsoleOptions = {}): Promise<ConsolePage> {
    return this.openAt(`/console${path}`, options);
  }

  /** A window on any page of the server. */
  async openAt(
    path: string,
    { width = 1280, height = 900, theme = "light", hasScripts = true }: ConsoleOptions = {},
  ): Promise<ConsolePage> {
    const context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      javaScriptEnabled: hasScripts,
      acceptDownloads: true,
    });
    const page = await context.newPage();
    const opened = new ConsolePage(page, context, this.#url);
    await page.goto(`${this.#url}${path}`);
    return opened;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** More stops than any page has from its top to its main deed. */
const STOPS_MAX = 120;

/** A window of the console, and all that went wrong in it. */
export class ConsolePage {
  readonly page: Page;
  readonly #context: BrowserContext;
  /** Requests to elsewhere, errors of scripts, refusals by the content security policy. */
  readonly problems: string[] = [];
  /** Answers with a status of an error, such as `403 /index`. */
  readonly refusals: string[] = [];
  readonly #pending = new Set<Request>();

  constructor(page: Page, context: BrowserContext, url: string) {
    this.page = page;
    this.#context = context;
    page.setDefaultTimeout(60_000);
    page.on("request", (request) => {
      if (request.resourceType() === "fetch") this.#pending.add(request);
      const address = request.url();
      if (!address.startsWith(`${url}/`) && !/^(data|blob):/.test(address))
        this.problems.push(`request to ${address}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400)
        this.refusals.push(`${response.status()} ${new URL(response.url()).pathname}`);
    });
    const ended = (request: Request): boolean => this.#pending.delete(request);
    page.on("requestfinished", ended);
    page.on("requestfailed", ended);
    page.on("framedetached", (frame) => {
      for (const request of this.#pending) if (request.frame() === frame) ended(request);
    });
    page.on("pageerror", (error) => this.problems.push(`script: ${error.message}`));
    page.on("console", (message) => {
      if (/Content Security Policy|Refused to|React/i.test(message.text()))
        this.problems.push(message.text());
    });
  }

  /** As a person would: the field that has the focus, the key, Enter. */
  async signIn(key: string): Promise<this> {
    await expect.poll(() => this.page.getByLabel("Access key").isVisible()).toBe(true);
    await this.page.keyboard.type(key);
    await this.page.keyboard.press("Enter");
    await this.navigation.waitFor();
    // Nobody was signed in before, which the server is asked first.
    this.refusals.splice(0);
    return this;
  }

  /** As somebody without a mouse gets there. */
  async tabTo(place: Locator): Promise<void> {
    await place.waitFor();
    const hasFocus = (): Promise<boolean> => place.evaluate((element) => element.matches(":focus"));
    for (let stop = 0; stop < STOPS_MAX && !(await hasFocus()); stop++) await this.page.keyboard.press("Tab");
    expect(await hasFocus()).toBe(true);
  }

  /**
   * Waits until nothing that a script asked for is without its answer. The browser's own "network idle" never
   * comes once a frame is taken away while it loads, as the manual is where one goes on to the next tab.
   */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet++) {
      await delay(100);
      if (this.#pending.size > 0) quiet = 0;
      await expect
        .poll(() => [...this.#pending].map((request) => request.url()), { timeout: 60_000 })
        .toEqual([]);
    }
  }

  get navigation(): Locator {
    return this.page.getByRole("navigation", { name: "Pages" });
  }

  /** By the link in the frame. */
  async go(name: string): Promise<void> {
    await this.navigation.getByRole("link", { name, exact: true }).click();
    await this.heading(name).waitFor();
  }

  heading(name: string): Locator {
    return this.page.getByRole("heading", { level: 1, name });
  }

  get query(): Locator {
    return this.page.getByRole("searchbox", { name: "Query" });
  }

  /** The titles of the hits, in order. */
  async hits(): Promise<string[]> {
    return this.page.locator(".hit-title").allInnerTexts();
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
