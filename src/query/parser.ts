import type { FindlingError } from "../errors/index.js";
import {
  COMPARED_RULES,
  DATETIME_WORD_RULES,
  ITEM_RULES,
  Lexer,
  LISTED_ITEM_RULES,
  WORD_RULES,
} from "./lexer.js";
import { querySyntaxError } from "./query-syntax-error.js";
import type {
  QuerySyntaxTree,
  SyntaxBound,
  SyntaxField,
  SyntaxList,
  SyntaxListItem,
  SyntaxNode,
  SyntaxText,
} from "./syntax-tree.js";

/**
 * How bare values are written after a field's name (contract 5.5, rules 2 and 10): a run of words, one
 * word, one word that may start with a sign, or one word that may hold colons.
 */
export type ValueSyntax = "words" | "word" | "signed_word" | "datetime_word";

export interface ParserOptions {
  /** Default: every field takes a run of words. */
  readonly valueSyntax?: (fieldName: string) => ValueSyntax;
  /** Whether a comma inside a set's item separates items, as in `IN [a,b]`, rather than be a part of it. Default: never. */
  readonly commaSeparates?: (fieldName: string) => boolean;
  /** Deepest nesting of parentheses and NOT. */
  readonly depthMax: number;
}

/** An instant inside `field:( … )` of a datetime field: elsewhere a colon would end the word. */
const INSTANT = /\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)(?=[\s)"^]|$)/y;

/**
 * Reads a query string by the grammar of contract 5.5. Time is linear in its length, which the body
 * that brings it has limited; the stack is bounded by the depth limit.
 *
 * @throws FindlingError `query_syntax` with the position of the character at fault and what was expected
 */
export function parseQueryString(ctx: string, options: ParserOptions): QuerySyntaxTree {
  try {
    return new Parser(ctx, options).parse();
  } catch (error) {
    if (!hasOddQuote(ctx)) throw error;
    try {
      return new Parser(ctx, options, true).parse();
    } catch {
      throw error;
    }
  }
}

/** Whether the double quotes of a query don't come in pairs, so that one of them may have been meant to be text: `"5" pipe"`. */
function hasOddQuote(ctx: string): boolean {
  let count = 0;
  for (let i = 0; i < ctx.length; i++) {
    const character = ctx.charAt(i);
    if (character === "\\") i++;
    else if (character === '"') count++;
  }
  return count % 2 === 1;
}

/** What surrounds the part being read. */
interface Context {
  readonly depth: number;
  /** How unfielded bare values are written here. */
  readonly valueSyntax: ValueSyntax;
  /** After `-`, `+` and NOT a word stands alone. */
  readonly oneWord: boolean;
}

class Parser {
  readonly #lexer: Lexer;
  readonly #valueSyntax: (fieldName: string) => ValueSyntax;
  readonly #commaSeparates: (fieldName: string) => boolean;
  readonly #depthMax: number;
  /** Offset after the last closing quote: text may follow it without white space. */
  #quoteEnd = -1;

  constructor(ctx: string, options: ParserOptions, hasLiteralQuote = false) {
    this.#lexer = new Lexer(ctx, hasLiteralQuote);
    this.#valueSyntax = options.valueSyntax ?? (() => "words");
    this.#commaSeparates = options.commaSeparates ?? (() => false);
    this.#depthMax = options.depthMax;
  }

  parse(): QuerySyntaxTree {
    const list = this.#list({ depth: 0, valueSyntax: "words", oneWord: false });
    if (!this.#lexer.isAtEnd()) throw this.#unexpected("the end of the query or a clause");
    return list;
  }

  /** list = conj , { ws , [ "OR" , ws ] , conj }; stops before `)` and at the end. */
  #list(context: Context): SyntaxList {
    const lexer = this.#lexer;
    const items: SyntaxListItem[] = [];
    for (;;) {
      const isSeparated = lexer.skipSpaceAndLoneSigns() || items.length === 0;
      if (this.#isAtEndOfList()) return { kind: "list", items };
      let followsOr = false;
      if (lexer.peekKeyword() === "OR") {
        if (items.length === 0) throw this.#unexpected("a clause before OR");
        lexer.take("OR");
        lexer.skipSpaceAndLoneSigns();
        if (this.#isAtEndOfList()) throw this.#unexpected("a clause after OR");
        followsOr = true;
      } else if (!isSeparated && !lexer.isAtDoubleQuote() && lexer.index !== this.#quoteEnd) {
        throw this.#unexpected("white space or an operator");
      }
      items.push({ followsOr, node: this.#conjunction(context) });
    }
  }

  /** conj = clause , { ws , "AND" , ws , clause } */
  #conjunction(context: Context): SyntaxNode {
    const lexer = this.#lexer;
    const operands = [this.#clause(context)];
    for (;;) {
      const end = lexer.index;
      lexer.skipSpaceAndLoneSigns();
      if (lexer.peekKeyword() !== "AND") {
        lexer.index = end;
        return operands.length === 1 ? operands[0]! : { kind: "and", operands };
      }
      lexer.take("AND");
      lexer.skipSpaceAndLoneSigns();
      operands.push(this.#clause(context));
    }
  }

  /** clause = "NOT" , ws , clause | [ "-" | "+" ] , boosted */
  #clause(context: Context): SyntaxNode {
    const lexer = this.#lexer;
    const keyword = lexer.peekKeyword();
    if (keyword === "NOT") {
      const depth = this.#deeper(context.depth);
      lexer.take("NOT");
      lexer.skipSpaceAndLoneSigns();
      return { kind: "not", operand: this.#clause({ ...context, depth, oneWord: true }) };
    }
    if (keyword !== null) throw this.#unexpected(`a clause before ${keyword}`);
    if (lexer.take("-")) return { kind: "not", operand: this.#boosted({ ...context, oneWord: true }) };
    if (lexer.take("+")) return { kind: "required", operand: this.#boosted({ ...context, oneWord: true }) };
    return this.#boosted(context);
  }

  #boosted(context: Context): SyntaxNode {
    const operand = this.#primary(context);
    const factor = this.#lexer.takeBoost();
    return factor === null ? operand : { kind: "boost", operand, factor };
  }

  #primary(context: Context): SyntaxNode {
    const lexer = this.#lexer;
    const next = lexer.peek();
    if (next === "(") return this.#group(null, context);
    if (lexer.isAtPhrase()) return { kind: "phrase", field: null, phrase: this.#phrase() };
    if (next === "*") return this.#star(null);
    if (next === "-" || next === "+" || lexer.peekKeyword() !== null)
      throw this.#unexpected("a word, phrase or group");
    if (context.valueSyntax === "datetime_word") {
      const instant = this.#instant();
      if (instant !== null) return { kind: "words", field: null, words: [instant] };
    }
    const first = lexer.takeBareText(WORD_RULES);
    if (first.text === "") throw this.#unexpected("a word, phrase or group");
    if (this.#isFieldName(first))
      return this.#fielded({ name: first.text, position: first.position }, context);
    const isRun = context.valueSyntax === "words" && !context.oneWord;
    return { kind: "words", field: null, words: isRun ? this.#run(first) : [first] };
  }

  /** fielded = name , s , ":" , s , ( set | range | compare | "*" | "(" , s , list , s , ")" | phrase | words ) */
  #fielded(field: SyntaxField, context: Context): SyntaxNode {
    const lexer = this.#lexer;
    lexer.skipSpace();
    lexer.take(":");
    lexer.skipSpace();
    const next = lexer.peek();
    const valueSyntax = this.#valueSyntax(field.name);
    if (this.#takeSetStart()) return this.#set(field);
    if (next === "[" || next === "{") return this.#range(field);
    if (next === ">" || next === "<") return this.#comparison(field);
    if (next === "*") return this.#star(field);
    if (next === "(") return this.#group(field, { ...context, valueSyntax });
    if (lexer.isAtPhrase()) return { kind: "phrase", field, phrase: this.#phrase() };

    const isSigned = next === "-" || next === "+";
    if (isSigned && valueSyntax !== "signed_word" && valueSyntax !== "datetime_word")
      throw this.#unexpected(valueAfter(field));
    if (lexer.peekKeyword() !== null) throw this.#unexpected(valueAfter(field));
    const start = lexer.index;
    const first = lexer.takeBareText(valueSyntax === "datetime_word" ? DATETIME_WORD_RULES : WORD_RULES);
    if (first.text === "") throw this.#unexpected(valueAfter(field));
    if (this.#isFieldName(first)) {
      lexer.index = start;
      throw this.#unexpected(`${valueAfter(field)}; a colon inside a value is written \\:`);
    }
    const isRun = valueSyntax === "words" && !context.oneWord;
    return { kind: "words", field, words: isRun ? this.#run(first) : [first] };
  }

  /** Further words up to an operator, a sign, a field name, a quote, a bracket or a boost. */
  #run(first: SyntaxText): SyntaxText[] {
    const lexer = this.#lexer;
    const words = [first];
    for (;;) {
      const end = lexer.index;
      const isSeparated = lexer.skipSpaceAndLoneSigns();
      const mayStartWord =
        isSeparated && !this.#isAtEndOfList() && !lexer.isAtPhrase() && !"-+*".includes(lexer.peek());
      if (mayStartWord && lexer.peekKeyword() === null) {
        const word = lexer.takeBareText(WORD_RULES);
        if (word.text !== "" && !this.#isFieldName(word)) {
          words.push(word);
          continue;
        }
      }
      lexer.index = end;
      return words;
    }
  }

  /** Whether a colon follows the word just read. */
  #isFieldName(word: SyntaxText): boolean {
    if (word.isPrefix) return false;
    const end = this.#lexer.index;
    this.#lexer.skipSpace();
    const isName = this.#lexer.peek() === ":";
    this.#lexer.index = end;
    return isName;
  }

  #group(field: SyntaxField | null, context: Context): SyntaxNode {
    const lexer = this.#lexer;
    const depth = this.#deeper(context.depth);
    const position = lexer.position();
    lexer.take("(");
    const list = this.#list({ depth, valueSyntax: context.valueSyntax, oneWord: false });
    if (!lexer.take(")"))
      throw querySyntaxError(position, "the parenthesis ( is not closed; close it or write \\(");
    if (list.items.length === 0) throw querySyntaxError(position, "expected a clause between ( and )");
    return { kind: "group", field, list };
  }

  #star(field: SyntaxField | null): SyntaxNode {
    const lexer = this.#lexer;
    const position = lexer.position();
    lexer.take("*");
    const next = lexer.peek();
    if (!lexer.isSpaceOrEndAt(lexer.index) && !lexer.isAtDoubleQuote() && next !== "^") {
      throw querySyntaxError(
        position,
        "* is allowed only at the end of a word or alone; write \\* for the character",
      );
    }
    return { kind: "star", field };
  }

  #phrase(): SyntaxText {
    const phrase = this.#lexer.takePhrase();
    this.#quoteEnd = this.#lexer.index;
    return phrase;
  }

  #takeSetStart(): boolean {
    const lexer = this.#lexer;
    const start = lexer.index;
    if (lexer.take("IN")) {
      lexer.skipSpace();
      if (lexer.take("[")) return true;
    }
    lexer.index = start;
    return false;
  }

  /** The items and the closing bracket of a set. */
  #set(field: SyntaxField): SyntaxNode {
    const lexer = this.#lexer;
    const items: SyntaxText[] = [];
    const rules = this.#commaSeparates(field.name) ? LISTED_ITEM_RULES : ITEM_RULES;
    for (;;) {
      lexer.skipSpace();
      if (rules === LISTED_ITEM_RULES && lexer.take(",")) continue;
      if (lexer.take("]")) return { kind: "set", field, items };
      const start = lexer.index;
      const item = this.#value(rules);
      if (lexer.index === start) throw this.#unexpected("an item or ] in the set");
      const isFollowedByComma = !item.isQuoted && lexer.text.charAt(lexer.index - 1) === ",";
      const isEscaped = isFollowedByComma && isEscapedAt(lexer.text, lexer.index - 1);
      const text = isFollowedByComma && !isEscaped ? item.text.slice(0, -1) : item.text;
      if (text !== "" || item.isQuoted) items.push({ ...item, text });
    }
  }

  /** range = ( "[" | "{" ) , s , bound , ws , "TO" , ws , bound , s , ( "]" | "}" ) */
  #range(field: SyntaxField): SyntaxNode {
    const lexer = this.#lexer;
    const includesLower = lexer.take("[") || !lexer.take("{");
    lexer.skipSpace();
    const lower = this.#bound("a lower bound");
    if (!lexer.skipSpace() || !lexer.take("TO") || !lexer.skipSpace()) {
      throw this.#unexpected("TO between two bounds, with white space around it");
    }
    const upper = this.#bound("an upper bound");
    lexer.skipSpace();
    const includesUpper = lexer.take("]");
    if (!includesUpper && !lexer.take("}")) throw this.#unexpected("] or } after the upper bound");
    return {
      kind: "range",
      field,
      lower: lower === null ? null : { value: lower, inclusive: includesLower },
      upper: upper === null ? null : { value: upper, inclusive: includesUpper },
    };
  }

  /** Null for an open end. */
  #bound(expected: string): SyntaxText | null {
    const lexer = this.#lexer;
    const start = lexer.index;
    const value = this.#value();
    if (lexer.index === start) throw this.#unexpected(expected);
    return lexer.text.slice(start, lexer.index) === "*" ? null : value;
  }

  /** A phrase or bare text in a set or range; takes nothing if neither comes next. */
  #value(rules = ITEM_RULES): SyntaxText {
    return this.#lexer.isAtPhrase() ? this.#lexer.takePhrase() : this.#lexer.takeBareText(rules);
  }

  #comparison(field: SyntaxField): SyntaxNode {
    const lexer = this.#lexer;
    const isLower = lexer.take(">") || !lexer.take("<");
    const inclusive = lexer.take("=");
    lexer.skipSpace();
    const start = lexer.index;
    const value = lexer.isAtPhrase() ? this.#phrase() : lexer.takeBareText(COMPARED_RULES);
    if (lexer.index === start) throw this.#unexpected("a value to compare with");
    const bound: SyntaxBound = { value, inclusive };
    return { kind: "range", field, lower: isLower ? bound : null, upper: isLower ? null : bound };
  }

  #instant(): SyntaxText | null {
    const lexer = this.#lexer;
    INSTANT.lastIndex = lexer.index;
    const match = INSTANT.exec(lexer.text);
    if (match === null) return null;
    const position = lexer.position();
    lexer.index += match[0].length;
    return { text: match[0], position, isQuoted: false, slop: 0, isPrefix: false };
  }

  #isAtEndOfList(): boolean {
    return this.#lexer.isAtEnd() || this.#lexer.peek() === ")";
  }

  #deeper(depth: number): number {
    if (depth < this.#depthMax) return depth + 1;
    throw querySyntaxError(
      this.#lexer.position(),
      `the query is nested deeper than ${this.#depthMax} levels; flatten it`,
    );
  }

  #unexpected(expected: string): FindlingError {
    const lexer = this.#lexer;
    const codePoint = lexer.text.codePointAt(lexer.index);
    const found =
      codePoint === undefined
        ? "the end of the query"
        : (lexer.peekKeyword() ?? `'${String.fromCodePoint(codePoint)}'`);
    return querySyntaxError(lexer.position(), `expected ${expected}, found ${found}`);
  }
}

/** What was expected. */
function valueAfter({ name }: SyntaxField): string {
  return `a value after '${name}:'`;
}

function isEscapedAt(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charAt(index - 1 - backslashes) === "\\") backslashes++;
  return backslashes % 2 === 1;
}
