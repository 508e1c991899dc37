const ROW_HEIGHT = 18;
const LABEL_WIDTH = 260;
const PLOT_WIDTH = 480;
const TOP = 44;
const BOTTOM = 34;
const MARGIN = 16;

/** Rows of dots over one logarithmic axis, as an SVG document. */
export class SvgPlot {
  readonly #rowCount: number;
  readonly #min: number;
  readonly #max: number;
  readonly #shapes: string[] = [];

  /** @param options `min` and `max` are powers of ten; what lies outside is drawn at the edge */
  constructor(options: {
    readonly title: string;
    readonly rowCount: number;
    readonly min: number;
    readonly max: number;
  }) {
    this.#rowCount = options.rowCount;
    this.#min = options.min;
    this.#max = options.max;
    this.#text(MARGIN, 20, options.title, 'font-weight="bold"');
    for (let value = options.min; value <= options.max * 1.001; value *= 10) {
      const x = this.#x(value);
      const colour = Math.abs(Math.log10(value)) < 1e-9 ? "#57606a" : "#d0d7de";
      this.#shapes.push(
        `<line x1="${x}" y1="${TOP - 8}" x2="${x}" y2="${this.#bottom()}" stroke="${colour}"/>`,
      );
      this.#text(x, this.#bottom() + 14, String(Number(value.toPrecision(1))), 'text-anchor="middle"');
    }
  }

  label(row: number, text: string): void {
    this.#text(LABEL_WIDTH - 8, this.#y(row) + 4, text, 'text-anchor="end"');
  }

  tick(row: number, value: number): void {
    const [x, y] = [this.#x(value), this.#y(row)];
    this.#shapes.push(
      `<line x1="${x}" y1="${y - 7}" x2="${x}" y2="${y + 7}" stroke="#24292f" stroke-width="2"/>`,
    );
  }

  dot(row: number, value: number, colour: string): void {
    this.#shapes.push(
      `<circle cx="${this.#x(value)}" cy="${this.#y(row)}" r="4.5" fill="${colour}" fill-opacity="0.85"/>`,
    );
  }

  legend(entries: readonly { readonly text: string; readonly colour: string }[]): void {
    const y = this.#bottom() + 28;
    for (const [i, { text, colour }] of entries.entries()) {
      const x = LABEL_WIDTH + i * 120;
      this.#shapes.push(`<circle cx="${x}" cy="${y - 4}" r="4.5" fill="${colour}"/>`);
      this.#text(x + 10, y, text, "");
    }
  }

  text(): string {
    const width = LABEL_WIDTH + PLOT_WIDTH + 2 * MARGIN;
    const height = this.#bottom() + BOTTOM;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
      `<rect width="${width}" height="${height}" fill="white"/>`,
      ...this.#shapes,
      "</svg>\n",
    ].join("\n");
  }

  #text(x: number, y: number, text: string, attributes: string): void {
    const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    this.#shapes.push(`<text x="${x}" y="${y}" fill="#24292f" ${attributes}>${escaped}</text>`);
  }

  #x(value: number): number {
    const clamped = Math.min(Math.max(value, this.#min), this.#max);
    const share = Math.log(clamped / this.#min) / Math.log(this.#max / this.#min);
    return Math.round((LABEL_WIDTH + share * PLOT_WIDTH) * 10) / 10;
  }

  #y(row: number): number {
    return TOP + row * ROW_HEIGHT + ROW_HEIGHT / 2;
  }

  #bottom(): number {
    return TOP + this.#rowCount * ROW_HEIGHT;
  }
}
