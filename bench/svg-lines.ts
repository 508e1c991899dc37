const LEFT = 70;
const TOP = 44;
const PLOT_WIDTH = 480;
const PLOT_HEIGHT = 300;
const LEGEND_WIDTH = 150;
const BOTTOM = 44;

export interface Axis {
  readonly label: string;
  /** Powers of ten. */
  readonly min: number;
  readonly max: number;
}

export interface Line {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Lines over two logarithmic axes, as an SVG document: what grows in proportion rises by a decade for a decade. */
export function svgLines(title: string, x: Axis, y: Axis, lines: readonly Line[]): string {
  const width = LEFT + PLOT_WIDTH + LEGEND_WIDTH;
  const height = TOP + PLOT_HEIGHT + BOTTOM;
  const across = (value: number): number => LEFT + share(value, x) * PLOT_WIDTH;
  const down = (value: number): number => TOP + (1 - share(value, y)) * PLOT_HEIGHT;
  const grid = [
    ...decades(x).flatMap((value) => [
      rule([across(value), TOP], [across(value), TOP + PLOT_HEIGHT]),
      text(across(value), TOP + PLOT_HEIGHT + 16, value.toLocaleString("en"), "middle"),
    ]),
    ...decades(y).flatMap((value) => [
      rule([LEFT, down(value)], [LEFT + PLOT_WIDTH, down(value)]),
      text(LEFT - 6, down(value) + 4, value.toLocaleString("en"), "end"),
    ]),
    text(LEFT + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT + 34, x.label, "middle"),
    text(LEFT, TOP - 10, y.label, "middle"),
  ];
  const drawn = lines.flatMap(({ name, colour, points }, i) => {
    const places = points.map(([a, b]) => `${round(across(a))},${round(down(b))}`);
    const legendY = TOP + 10 + i * 18;
    return [
      `<polyline points="${places.join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map(([a, b]) => circle(across(a), down(b), colour)),
      circle(LEFT + PLOT_WIDTH + 16, legendY - 4, colour),
      text(LEFT + PLOT_WIDTH + 26, legendY, name, "start"),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="16" y="20" fill="#24292f" font-weight="bold">${title}</text>`,
    ...grid,
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

function share(value: number, { min, max }: Axis): number {
  return Math.log(Math.min(Math.max(value, min), max) / min) / Math.log(max / min);
}

function decades({ min, max }: Axis): number[] {
  const values: number[] = [];
  for (let value = min; value <= max * 1.001; value *= 10) values.push(Number(value.toPrecision(1)));
  return values;
}

function rule([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="#d0d7de"/>`;
}

function circle(x: number, y: number, colour: string): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="4" fill="${colour}"/>`;
}

function text(x: number, y: number, content: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${round(x)}" y="${round(y)}" fill="#24292f" text-anchor="${anchor}">${content}</text>`;
}

const round = (number: number): number => Math.round(number * 10) / 10;
