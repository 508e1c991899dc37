/** Problems are listed up to this many per field; the rest are counted. */
const LISTED_MAX = 20;

/** What a check finds. Damage tends to repeat itself, so only the first problems are kept as text. */
export class ProblemList {
  readonly #problems: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(problem: string): void {
    this.#count++;
    if (this.#problems.length < LISTED_MAX) this.#problems.push(problem);
  }

  toArray(): string[] {
    const unlisted = this.#count - this.#problems.length;
    return unlisted === 0 ? [...this.#problems] : [...this.#problems, `and ${unlisted} more problems`];
  }
}
