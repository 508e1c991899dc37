import type {
  SyntaxBound,
  SyntaxField,
  SyntaxList,
  SyntaxNode,
  SyntaxText,
} from "../../src/query/syntax-tree.js";

/** A query string that parses to the tree, every special character escaped. */
export function printSyntaxTree(list: SyntaxList): string {
  return list.items
    .map((item, i) => `${i === 0 ? "" : item.followsOr ? " OR " : " "}${printNode(item.node)}`)
    .join("");
}

function printNode(node: SyntaxNode): string {
  switch (node.kind) {
    case "list":
      return printSyntaxTree(node);
    case "and":
      return node.operands.map(printNode).join(" AND ");
    case "not":
      return node.operand.kind === "not" || node.operand.kind === "required"
        ? `NOT ${printNode(node.operand)}`
        : `-${printNode(node.operand)}`;
    case "required":
      return `+${printNode(node.operand)}`;
    case "boost":
      return `${printNode(node.operand)}^${node.factor}`;
    case "group":
      return `${printField(node.field)}(${printSyntaxTree(node.list)})`;
    case "star":
      return `${printField(node.field)}*`;
    case "phrase":
      return `${printField(node.field)}${printText(node.phrase)}`;
    case "words":
      return `${printField(node.field)}${node.words.map(printText).join(" ")}`;
    case "set":
      return `${printField(node.field)}IN [${node.items.map(printText).join(" ")}]`;
    case "range":
      if (node.lower !== null && node.upper === null) {
        return `${printField(node.field)}>${node.lower.inclusive ? "=" : ""}${printText(node.lower.value)}`;
      }
      return `${printField(node.field)}${node.lower?.inclusive === false ? "{" : "["}${printBound(node.lower)} TO ${printBound(node.upper)}${node.upper?.inclusive === false ? "}" : "]"}`;
  }
}

function printField(field: SyntaxField | null): string {
  return field === null ? "" : `${escapeBare(field.name)}:`;
}

function printBound(bound: SyntaxBound | null): string {
  return bound === null ? "*" : printText(bound.value);
}

function printText(text: SyntaxText): string {
  if (!text.isQuoted) return `${escapeBare(text.text)}${text.isPrefix ? "*" : ""}`;
  const quote = text.text.includes('"') ? "'" : '"';
  const suffix = text.isPrefix ? "*" : text.slop > 0 ? `~${text.slop}` : "";
  return `${quote}${text.text.replace(quote === '"' ? /["\\]/g : /['\\]/g, "\\$&")}${quote}${suffix}`;
}

function escapeBare(text: string): string {
  const escaped = text.replace(/[\s:{}"“”„‘’[\]()\\*^,+\-'<>=]/g, "\\$&");
  return /^(?:AND|OR|NOT|IN|TO)$/.test(text) ? `\\${escaped}` : escaped;
}
