/** Addresses of what can be made: a page with its form open, so that a link, and the palette, lead straight to it. */
const CREATE = "create";

export const createParams: Readonly<Record<string, string>> = { [CREATE]: "1" };

export function isCreating(params: URLSearchParams): boolean {
  return params.has(CREATE);
}

/** @param page such as `/keys` */
export function createPath(page: string): string {
  return `${page}?${CREATE}=1`;
}
