import { fieldDefinition, type IndexSchema } from "../contract/index-schema.js";
import { FindlingError } from "../errors/index.js";
import { endsInWord, lastBareWord, typedUnfieldedAst, typedWordAst } from "./as-you-type.js";
import { anyOf, boosted, complementOf } from "./combine.js";
import { contentWords } from "./content-words.js";
import { equalityAst, rangeAst } from "./field-values.js";
import { parseQueryString } from "./parser.js";
import { commaSeparates, hasWords, type QueriedField, queriedField, valueSyntaxOf } from "./queried-field.js";
import type { AstClause, QueryAst } from "./query-ast.js";
import { identifierAst, searchFieldsOf, unfieldedAst } from "./search-fields.js";
import { type SearchedIndex, stopWordSetOf } from "./searched-index.js";
import type {
  QuerySyntaxTree,
  SyntaxBound,
  SyntaxField,
  SyntaxList,
  SyntaxNode,
  SyntaxText,
} from "./syntax-tree.js";
import { textAst, textRangeAst } from "./text-ast.js";

/**
 * A query string in the index's own terms (contract 5.5). Stopwords and words without a token are
 * dropped from the expression; one of which nothing remains matches nothing.
 *
 * @param isBeingTyped whether a bare word at the very end stands for every word that begins like it
 * @throws FindlingError `query_syntax`, `unknown_field`, `field_not_indexed`, `invalid_field_value`
 */
export function compileExact(ctx: string, index: SearchedIndex, isBeingTyped = false): QueryAst {
  const tree = parseExact(ctx, index);
  const typed = isBeingTyped && endsInWord(ctx) ? lastBareWord(tree) : null;
  return new ExactCompiler(index, typed).list(tree, null) ?? { kind: "match_none" };
}

/**
 * A query string as it reads with the index's fields.
 *
 * @throws FindlingError `query_syntax`
 */
export function parseExact(ctx: string, index: SearchedIndex): QuerySyntaxTree {
  return parseQueryString(ctx, {
    valueSyntax: (name) => valueSyntaxOf(schemaWith(index, name), name),
    commaSeparates: (name) => commaSeparates(schemaWith(index, name), name),
    depthMax: index.limits.depthMax,
  });
}

/** The schema that has the field: the index's own or else another one of its federation. */
function schemaWith({ schema, federatedSchemas }: SearchedIndex, name: string): IndexSchema {
  if (federatedSchemas === undefined || fieldDefinition(schema, name) !== undefined) return schema;
  return federatedSchemas.find((candidate) => fieldDefinition(candidate, name) !== undefined) ?? schema;
}

/** Every method returns null for a part of which nothing remains. `within` is the field of a surrounding `field:( … )`. */
class ExactCompiler {
  readonly #index: SearchedIndex;
  /** The word that is being typed. */
  readonly #typed: SyntaxText | null;

  constructor(index: SearchedIndex, typed: SyntaxText | null) {
    this.#index = index;
    this.#typed = typed;
  }

  /**
   * Contract 5.5, rule 4: plain items are alternatives; `+` items are required and exclusions remove
   * from the whole, unless they are operands of an OR.
   */
  list(list: SyntaxList, within: QueriedField | null): QueryAst | null {
    const clauses: AstClause[] = [];
    for (let i = 0; i < list.items.length; i++) {
      const { node, followsOr } = list.items[i]!;
      const isOperandOfOr = followsOr || (i === 0 && list.items[1]?.followsOr === true);
      let occur: AstClause["occur"] = "should";
      let part = node;
      if (node.kind === "not" && !isOperandOfOr) {
        occur = "must_not";
        part = node.operand;
      } else if (node.kind === "required" && !isOperandOfOr) {
        occur = "must";
      }
      const ast = this.#node(part, within);
      if (ast !== null) clauses.push({ occur, ast });
    }
    return combined(clauses);
  }

  #node(node: SyntaxNode, within: QueriedField | null): QueryAst | null {
    switch (node.kind) {
      case "list":
        return this.list(node, within);
      case "and":
        return this.#and(node.operands, within);
      case "not": {
        const operand = this.#node(node.operand, within);
        return operand === null ? null : complementOf(operand);
      }
      case "required":
        return this.#node(node.operand, within);
      case "boost": {
        const operand = this.#node(node.operand, within);
        return operand === null ? null : boosted(operand, node.factor);
      }
      case "group":
        return this.list(node.list, this.#field(node.field, within));
      case "star": {
        const field = this.#field(node.field, within);
        return field === null ? { kind: "match_all" } : { kind: "exists", field: field.name };
      }
      case "phrase":
        return this.#text(node.phrase, this.#field(node.field, within));
      case "words": {
        const field = this.#field(node.field, within);
        const words = this.#withoutLongStopWords(node.words, field);
        const asts = words.map((word) => this.#text(word, field)).filter((ast) => ast !== null);
        return asts.length === 0 ? null : anyOf(asts);
      }
      case "set":
        return this.#set(queriedField(this.#index.schema, node.field.name), node.items);
      case "range":
        return this.#range(queriedField(this.#index.schema, node.field.name), node.lower, node.upper);
    }
  }

  #and(operands: readonly SyntaxNode[], within: QueriedField | null): QueryAst | null {
    const clauses: AstClause[] = [];
    for (const operand of operands) {
      const isExclusion = operand.kind === "not";
      const ast = this.#node(isExclusion ? operand.operand : operand, within);
      if (ast !== null) clauses.push({ occur: isExclusion ? "must_not" : "must", ast });
    }
    return combined(clauses);
  }

  /**
   * A row of words without those that are a stopword together; what is one by itself is dropped where its
   * text is read. A prefix is never a part of one, nor is a word that is still being typed.
   */
  #withoutLongStopWords(words: readonly SyntaxText[], field: QueriedField | null): readonly SyntaxText[] {
    const stopWords = words.length === 1 ? null : stopWordSetOf(this.#index);
    if (stopWords?.hasSeveralWords !== true) return words;
    const isText =
      field === null
        ? searchFieldsOf(this.#index.schema).some((one) => hasWords(one.field))
        : field.kind === "text";
    if (!isText) return words;
    const kept: SyntaxText[] = [];
    let row: SyntaxText[] = [];
    for (const word of words) {
      const isBeginning = word.isPrefix || word === this.#typed;
      if (!isBeginning) row.push(word);
      if (!isBeginning && word !== words.at(-1)) continue;
      const { analyzer } = this.#index;
      const inRow = contentWords(
        row,
        ({ text }) => text,
        analyzer,
        (tokens, text) => stopWords.withoutSeveralWords(tokens, text),
      );
      kept.push(...inRow);
      if (isBeginning) kept.push(word);
      row = [];
    }
    return kept;
  }

  #field(field: SyntaxField | null, within: QueriedField | null): QueriedField | null {
    return field === null ? within : queriedField(this.#index.schema, field.name);
  }

  /** A word or phrase. */
  #text(text: SyntaxText, field: QueriedField | null): QueryAst | null {
    if (text === this.#typed) {
      if (field === null) return typedUnfieldedAst(this.#index, text.text);
      if (field.kind === "text") {
        const typed = typedWordAst(this.#index, text.text, [{ field: field.name, boost: 1 }]);
        return typed ?? textAst(this.#index, field.name, { ...text, isPrefix: true });
      }
      if (field.kind === "identifier") return identifierAst(field, { ...text, isPrefix: true });
    }
    if (field === null) return unfieldedAst(this.#index, text);
    if (field.kind === "text") return textAst(this.#index, field.name, text);
    if (field.kind === "identifier" && text.slop === 0) return identifierAst(field, text);
    if (text.isPrefix || text.slop > 0) {
      throw new FindlingError(
        "invalid_field_value",
        `field '${field.name}' takes whole values; ${text.isPrefix ? "word*" : '"…"~n'} works on text fields`,
      );
    }
    return equalityAst(field, [text.text]);
  }

  /** Sets filter, so they score 1 (contract 5.7). */
  #set(field: QueriedField, items: readonly SyntaxText[]): QueryAst | null {
    if (items.length === 0) return { kind: "match_none" };
    if (items.every((item) => field.kind !== "text" && !item.isPrefix && item.slop === 0)) {
      return equalityAst(
        field,
        items.map((item) => item.text),
      );
    }
    const asts = items.map((item) => this.#text(item, field)).filter((ast) => ast !== null);
    return asts.length === 0 ? null : { kind: "constant_score", ast: anyOf(asts), score: 1 };
  }

  #range(field: QueriedField, lower: SyntaxBound | null, upper: SyntaxBound | null): QueryAst {
    const range = { lower: writtenBound(field, lower), upper: writtenBound(field, upper) };
    return field.kind === "text"
      ? textRangeAst(this.#index, field.name, range.lower, range.upper)
      : rangeAst(field, range);
  }
}

function writtenBound(
  field: QueriedField,
  bound: SyntaxBound | null,
): { value: string; inclusive: boolean } | null {
  if (bound === null) return null;
  if (bound.value.isPrefix || bound.value.slop > 0) {
    throw new FindlingError(
      "invalid_field_value",
      `a bound of field '${field.name}' takes neither * nor ~n after its quotes`,
    );
  }
  return { value: bound.value.text, inclusive: bound.inclusive };
}

/** The clauses as one part; a lone positive clause is itself, no clauses are nothing. */
function combined(clauses: readonly AstClause[]): QueryAst | null {
  const [first] = clauses;
  if (first === undefined) return null;
  if (clauses.length === 1 && first.occur !== "must_not") return first.ast;
  return { kind: "boolean", clauses };
}
