import type { AstBound, AstReading, AstRow, QueryAst } from "../../src/query/query-ast.js";

/**
 * A query in one line for expectations: `title:red`, `(title:red | title:blue)`, `(+a -b)` with `+` must,
 * `|` should, `-` must not, `?` must if present, `title:"a _ b"` with a gap, `x^2` boosted.
 */
export function showAst(ast: QueryAst): string {
  return showJoined(asWritten(ast));
}

/** The query without what its words may be written as joined or in two. */
function asWritten(ast: QueryAst): QueryAst {
  switch (ast.kind) {
    case "fuzzy": {
      const { rows: _rows, rowsComeBefore: _comeBefore, ...word } = ast;
      return word;
    }
    case "words": {
      const readings = ast.readings.filter(({ slips }) => slips === undefined);
      return { ...ast, readings: readings.map((reading) => ({ ...reading, ast: asWritten(reading.ast) })) };
    }
    case "boolean":
      return { ...ast, clauses: ast.clauses.map((clause) => ({ ...clause, ast: asWritten(clause.ast) })) };
    case "synonyms":
    case "boost":
    case "constant_score":
      return { ...ast, ast: asWritten(ast.ast) };
    default:
      return ast;
  }
}

/** As `showAst`, with joined and split words. */
export function showJoined(ast: QueryAst): string {
  switch (ast.kind) {
    case "match_all":
      return "ALL";
    case "match_none":
      return "NONE";
    case "term":
      return `${ast.field}:${ast.term}`;
    case "phrase": {
      const last = ast.terms.at(-1)!.position;
      const places = Array.from(
        { length: last + 1 },
        (_, i) => ast.terms.find((term) => term.position === i)?.term ?? "_",
      );
      return `${ast.field}:"${places.join(" ")}"${ast.lastIsPrefix ? "*" : ""}${ast.slop > 0 ? `~${ast.slop}` : ""}`;
    }
    case "prefix":
      return `${ast.field}:${ast.prefix}*`;
    case "value_prefix":
      return `${ast.field}=${ast.prefix}*`;
    case "term_range":
    case "value_range":
      return `${ast.field}${showRange(ast.lower, ast.upper)}`;
    case "value_set":
      return `${ast.field}=${ast.values.map((value) => JSON.stringify(value)).join(",")}`;
    case "facet":
      return `${ast.field}@${ast.paths.join(",")}`;
    case "exists":
      return `${ast.field}:?`;
    case "fuzzy":
      return `${ast.term}~${ast.maxDistance}${showRows(ast.rows)}${ast.begun === undefined ? "" : `/${ast.begun.prefix}*~${ast.begun.maxDistance}`}{${ast.fields.map(({ field, boost }) => `${field}^${boost}`).join(" ")}}`;
    case "fuzzy_prefix":
      return `${ast.prefix}*~${ast.maxDistance}{${ast.fields.map(({ field, boost }) => `${field}^${boost}`).join(" ")}}`;
    case "synonyms": {
      const alternatives = ast.alternatives.map(
        ({ key, terms }) => `${showRun(key)}:${terms.map(showRun).join(",")}`,
      );
      return `syn(${showJoined(ast.ast)}; ${alternatives.join("; ")})`;
    }
    case "words":
      return `words${ast.needsAll === true ? "!" : ""}(${ast.readings.map(showReading).join(" ")})`;
    case "boost":
      return `${showJoined(ast.ast)}^${ast.factor}`;
    case "constant_score":
      return `${showJoined(ast.ast)}=>${ast.score}`;
    case "document_ids":
      return `_id=${ast.ids.join(",")}`;
    case "boolean": {
      const parts = ast.clauses.map(({ occur, ast: part }) => `${SIGN[occur]}${showJoined(part)}`);
      return `(${parts.join(" ")})${ast.minimumShouldMatch === undefined ? "" : `>=${ast.minimumShouldMatch}`}`;
    }
  }
}

/** `0-1 word`, with `~` and the slips it takes for granted, `=` if it only covers, `+` if it only scores, `^` if only nearness counts. */
function showReading({ start, end, ast, slips, counts }: AstReading): string {
  const sign = counts === undefined ? "" : { cover: "=", score: "+", nearness: "^" }[counts];
  return `[${start}-${end}${slips === undefined ? "" : `~${slips}`}${sign} ${showJoined(ast)}]`;
}

/** What else a word may be written as: `(red+bull no+te*)`. */
function showRows(rows: readonly AstRow[] = []): string {
  if (rows.length === 0) return "";
  return `(${rows.map(({ terms, lastIsPrefix }) => terms.join("+") + (lastIsPrefix ? "*" : "")).join(" ")})`;
}

function showRun(run: readonly { readonly term: string }[]): string {
  return run.map(({ term }) => term).join(" ");
}

const SIGN = { must: "+", should: "|", must_not: "-", filter: "#", must_if_present: "?" } as const;

function showRange(lower: AstBound<unknown> | null, upper: AstBound<unknown> | null): string {
  const left = lower === null ? "(" : `${lower.inclusive ? "[" : "{"}${JSON.stringify(lower.value)}`;
  const right = upper === null ? ")" : `${JSON.stringify(upper.value)}${upper.inclusive ? "]" : "}"}`;
  return `${left}..${right}`;
}
