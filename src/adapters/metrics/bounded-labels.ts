/** What stands for every value that has no label of its own. */
export const OTHER = "other";

/** Printable ASCII: nothing that two writers of the format could write differently. */
const PLAIN_VALUE = /^[\x20-\x7e]{1,200}$/;

/**
 * Lets the first values that come be labels, and calls all later ones `other`: each label is a time series
 * that costs memory here and in the monitoring, and who names them is not the operator.
 */
export class BoundedLabels {
  readonly #countMax: number;
  readonly #known = new Set<string>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /** @param group values of different groups are different, and `other` is for each of them */
  labelOf(value: string, group = ""): string {
    if (!PLAIN_VALUE.test(value)) return OTHER;
    const name = `${group}\n${value}`;
    if (!this.#known.has(name)) {
      if (this.#known.size >= this.#countMax) return OTHER;
      this.#known.add(name);
    }
    return value;
  }
}
