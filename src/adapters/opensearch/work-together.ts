/** Work of which so many go on at a time. The first failure is that of all: what has not begun by then never does. */
export class WorkTogether {
  readonly #max: number;
  readonly #going = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Begins work once there is room for it. @throws what any work before has failed with */
  async begin(work: () => Promise<void>): Promise<void> {
    while (this.#failure === undefined && this.#going.size >= this.#max) await Promise.race(this.#going);
    this.#throwFailure();
    const going = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#going.delete(going));
    this.#going.add(going);
  }

  /** Resolves once nothing goes on any more, whether it has failed or not. */
  async settled(): Promise<void> {
    await Promise.all(this.#going);
  }

  /** Resolves once all is through. @throws the first failure */
  async done(): Promise<void> {
    await this.settled();
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
