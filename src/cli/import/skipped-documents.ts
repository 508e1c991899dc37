import type { BadDocument } from "./bad-documents-error.js";

/** Shown one by one before only the number goes on. */
const SHOWN_MAX = 20;
const REMEMBERED_MAX = 100;

/** Keeps account of the documents that are left out. */
export class SkippedDocuments {
  readonly #show: (line: string) => void;
  readonly #first: BadDocument[] = [];
  #count = 0;

  constructor(show: (line: string) => void) {
    this.#show = show;
  }

  add(bad: BadDocument): void {
    this.#count++;
    if (this.#first.length < REMEMBERED_MAX) this.#first.push(bad);
    if (this.#count <= SHOWN_MAX) this.#show(`skipped ${bad.place}: ${bad.problem}`);
    else if (this.#count === SHOWN_MAX + 1) this.#show("more are skipped without a line each");
  }

  get count(): number {
    return this.#count;
  }

  /** The first hundred. */
  get first(): readonly BadDocument[] {
    return this.#first;
  }
}
