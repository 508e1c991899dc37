import type { EngineSchema } from "../../engine/server-door.js";
import type { QueryAst } from "../../query/query-ast.js";

/**
 * The boost of a term or phrase whose idf the cluster works out from its own statistics: so small that none with an idf
 * in it comes near it (`SIMILARITY`). A power of two, so that nothing is rounded.
 */
export const OWN_IDF: number = 2 ** -120;

/** Boosts around a term, multiplied, with which `OWN_IDF` stays what it is, and within the cluster's 32 bits. */
const BOOST_MIN = 2 ** -5;
const BOOST_MAX = 2 ** 20;

/**
 * Whether all that a query scores are words and phrases as they are, so that no frequency has to be asked for where the
 * cluster's own statistics are those of the live documents.
 *
 * @param schemas of all indexes that are searched together
 * @param boost what boosts around it come to
 */
export function scoresByOwnStatistics(
  ast: QueryAst,
  schemas: readonly EngineSchema[],
  boost: number,
): boolean {
  switch (ast.kind) {
    case "term":
      return ast.written === undefined && isWithin(boost) && isText(ast.field, schemas);
    case "phrase": {
      const positions = new Set(ast.terms.map(({ position }) => position));
      const isPlain = !ast.lastIsPrefix && positions.size === ast.terms.length;
      return isPlain && isWithin(boost) && isText(ast.field, schemas);
    }
    case "fuzzy":
    case "words":
    case "fuzzy_prefix":
    case "synonyms":
      return false;
    case "boolean":
      return ast.clauses.every(
        (clause) =>
          clause.occur === "filter" ||
          clause.occur === "must_not" ||
          (clause.occur !== "must_if_present" && scoresByOwnStatistics(clause.ast, schemas, boost)),
      );
    case "boost":
      return scoresByOwnStatistics(ast.ast, schemas, boost * ast.factor);
    default:
      return true;
  }
}

function isWithin(boost: number): boolean {
  return boost >= BOOST_MIN && boost <= BOOST_MAX;
}

/** Whether the field is nothing but indexed text: other kinds have values without words, which count as well. */
function isText(name: string, schemas: readonly EngineSchema[]): boolean {
  return schemas.every(({ fields }) => {
    const field = fields.find((each) => each.name === name);
    return field === undefined || (field.kind === "text" && field.indexed);
  });
}
