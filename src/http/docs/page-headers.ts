/** Nothing from elsewhere, nothing inline, requests only back to this server, and no page around it. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = pageHeaders("'none'");

/** As for other pages, but that the console shows the manual in a frame. */
export const MANUAL_HEADERS: Readonly<Record<string, string>> = pageHeaders("'self'");

function pageHeaders(frameAncestors: string): Readonly<Record<string, string>> {
  return {
    "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors ${frameAncestors}`,
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
  };
}
