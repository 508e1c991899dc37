/** Prometheus' text format 0.0.4, read strictly. */
export interface Exposition {
  readonly types: ReadonlyMap<string, string>;
  /** By series as it is written: `name{label="value",…}`, labels in the order of the text. */
  readonly samples: ReadonlyMap<string, number>;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const SAMPLE = new RegExp(
  `^(${NAME})(\\{(?:${LABEL}(?:,${LABEL})*)?\\})? (NaN|[+-]?Inf|[+-]?[0-9.]+(?:e[+-]?[0-9]+)?)$`,
);
const COMMENT = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`);
const SUFFIXES: Readonly<Record<string, RegExp>> = {
  histogram: /^(?:_bucket|_sum|_count)$/,
  counter: /^$/,
  gauge: /^$/,
};

/** @throws Error for whatever a strict reader would not take */
export function readExposition(text: string): Exposition {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  let family = "";
  for (const line of text.slice(0, -1).split("\n")) {
    if (line === "") continue;
    const comment = COMMENT.exec(line);
    if (comment !== null) {
      const [, kind, name, rest] = comment;
      if (kind === "TYPE") {
        if (types.has(name!)) throw new Error(`${name} comes twice`);
        types.set(name!, rest!);
        family = name!;
      }
      continue;
    }
    const sample = SAMPLE.exec(line);
    if (sample === null) throw new Error(`not a line of the format: ${line}`);
    const [, name, labels = "", value] = sample;
    const type = types.get(family);
    if (
      !name!.startsWith(family) ||
      type === undefined ||
      !SUFFIXES[type]?.test(name!.slice(family.length))
    ) {
      throw new Error(`${name} is not of the family before it, ${family} (${type})`);
    }
    const series = `${name}${labels}`;
    if (samples.has(series)) throw new Error(`${series} comes twice`);
    samples.set(series, Number(value!.replace("Inf", "Infinity")));
  }
  checkHistograms({ types, samples });
  return { types, samples };
}

/** Buckets never fall, and the last of them counts everything. */
function checkHistograms({ types, samples }: Exposition): void {
  const last = new Map<string, number>();
  for (const [series, value] of samples) {
    const bucket = /^(.*)_bucket\{le="([^"]*)",?(.*)\}$/.exec(series);
    if (bucket === null || types.get(bucket[1]!) !== "histogram") continue;
    const [, name, bound, rest] = bucket;
    const key = `${name}{${rest}}`;
    if (value < (last.get(key) ?? 0)) throw new Error(`${series} falls`);
    last.set(key, value);
    const count = samples.get(rest === "" ? `${name}_count` : `${name}_count{${rest}}`);
    if (bound === "+Inf" && count !== value) throw new Error(`${series} isn't its count, ${count}`);
  }
}
