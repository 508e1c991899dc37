import type { Page } from "playwright-core";
import { KEY } from "../summaries/server-under-test.js";

/** Debian's. */
export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** What a page has shown since somebody began to watch, in milliseconds of its own clock. */
export interface Shown {
  /** When the last answer to a search had come; null: none has. */
  readonly answeredAt: number | null;
  /** When the last change of the page was on screen; null: nothing has changed. */
  readonly changedAt: number | null;
  /** How long each task took that held the page for more than 50. */
  readonly longTasks: readonly number[];
}

/**
 * Runs in the page, before its own scripts. A change is on screen once the frame that it belongs to has been handed on,
 * which the task behind that frame knows.
 */
const WATCH = `
window.shown = { answeredAt: null, changedAt: null, longTasks: [] };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name.endsWith("/search")) window.shown.answeredAt = entry.responseEnd;
}).observe({ type: "resource" });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shown.longTasks.push(entry.duration);
}).observe({ type: "longtask" });
const behind = new MessageChannel();
behind.port1.onmessage = () => { window.shown.changedAt = performance.now(); };
new MutationObserver(() => requestAnimationFrame(() => behind.port2.postMessage(null)))
  .observe(document, { subtree: true, childList: true, characterData: true });
`;

const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list, observer) => {
    const paint = list.getEntriesByName("first-contentful-paint")[0];
    if (paint === undefined) return;
    observer.disconnect();
    resolve(paint.startTime);
  }).observe({ type: "paint", buffered: true });
})`;

const FORGET = "window.shown = { answeredAt: null, changedAt: null, longTasks: [] }";

/** Has all pages that are opened in a window watched. */
export async function watch(page: Page): Promise<void> {
  await page.addInitScript({ content: WATCH });
}

/** What was shown until now is forgotten. */
export async function watchAnew(page: Page): Promise<void> {
  await page.evaluate(FORGET);
}

export async function shownOn(page: Page): Promise<Shown> {
  return page.evaluate<Shown>("window.shown");
}

/**
 * When the first text or picture was on screen, in milliseconds from the call of the page. A page can be used before
 * the browser has noted its paint, so the note is waited for.
 */
export async function firstPaint(page: Page): Promise<number> {
  return page.evaluate<number>(FIRST_PAINT);
}

/** Milliseconds since the page was called. */
export async function sinceCall(page: Page): Promise<number> {
  return page.evaluate<number>("performance.now()");
}

/** For as long as the window is open, whatever its address. */
export async function signIn(page: Page): Promise<void> {
  await page.locator("input:focus").waitFor();
  await page.keyboard.type(KEY);
  await page.getByRole("checkbox").check();
  await page.keyboard.press("Enter");
  await page.locator(".shell").waitFor();
}
