/** Chance that a seed determines (mulberry32), and the shapes of it that the sample's visitors follow. */
export class RandomSource {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0, below the bound. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }

  /** Waiting times: most are short, some are long. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** How many of something that happens this often on average. */
  poisson(mean: number): number {
    let count = 0;
    for (let elapsed = this.exponential(1); elapsed < mean; elapsed += this.exponential(1)) count++;
    return count;
  }

  shuffled<Value>(values: readonly Value[]): Value[] {
    const mixed = [...values];
    for (let i = mixed.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
    }
    return mixed;
  }
}

/** Draws one of several values, each as often as its weight says. */
export class WeightedChoice<Value> {
  readonly #values: readonly Value[];
  /** Sums of the weights up to and with each value. */
  readonly #sums: Float64Array;

  /** @param weights as many as values, none negative, not all 0 */
  constructor(values: readonly Value[], weights: readonly number[]) {
    this.#values = values;
    this.#sums = new Float64Array(values.length);
    let sum = 0;
    for (const [i, weight] of weights.entries()) this.#sums[i] = sum += weight;
  }

  /** The n-th value as often as 1/n to the power: few are frequent, many are rare. */
  static zipf<Value>(values: readonly Value[], power: number): WeightedChoice<Value> {
    return new WeightedChoice(
      values,
      values.map((_, i) => (i + 1) ** -power),
    );
  }

  draw(random: RandomSource): Value {
    const target = random.next() * this.#sums.at(-1)!;
    let low = 0;
    let high = this.#sums.length - 1;
    // Invariant: the first sum above the target is at low..high.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sums[middle]! > target) high = middle;
      else low = middle + 1;
    }
    return this.#values[low]!;
  }
}
