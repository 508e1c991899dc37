// One file of the declarations that a door's can be reached from: each as the compiler wrote it, and only what the door
// exports is exported. Declarations beside them that nothing needs, such as schemas of the server's, stay out.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * @param door a file of declarations that only exports what other files have; relative imports are followed
 * @throws Error if two declarations have one name, or if a package would be needed
 */
export async function joinedDeclarations(door) {
  const { default: ts } = await import("typescript");
  const files = new Map();
  const fileOf = (path) => {
    if (!files.has(path)) files.set(path, readFile(ts, path));
    return files.get(path);
  };
  const exported = new Set(fileOf(door).passedOn.keys());
  const kept = new Map();
  const waiting = [...exported].map((name) => ({ path: door, name }));
  while (waiting.length > 0) {
    const { path, name } = waiting.pop();
    const { declared, imported, passedOn } = fileOf(path);
    const from = imported.get(name) ?? passedOn.get(name);
    if (from !== undefined) {
      if (from.path === null) throw new Error(`'${name}' in ${path} comes from a package`);
      waiting.push(from);
      continue;
    }
    const statement = declared.get(name);
    // What isn't declared anywhere is the language's or the platform's.
    if (statement === undefined || kept.get(name) === statement) continue;
    if (kept.has(name)) throw new Error(`two declarations are called '${name}', one of them in ${path}`);
    kept.set(name, statement);
    for (const used of namesIn(ts, statement)) waiting.push({ path, name: used });
  }
  const texts = [...kept].map(([name, statement]) => textOf(ts, statement, exported.has(name)));
  return `${texts.sort().join("\n")}\nexport {};\n`;
}

/** What a file declares, imports, and exports of other files, by name. */
function readFile(ts, path) {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const [declared, imported, passedOn] = [new Map(), new Map(), new Map()];
  const origin = ({ text }) =>
    text.startsWith(".") ? join(dirname(path), text.replace(/[.]js$/, ".d.ts")) : null;
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      for (const { name, propertyName } of statement.importClause?.namedBindings?.elements ?? [])
        imported.set(name.text, {
          path: origin(statement.moduleSpecifier),
          name: (propertyName ?? name).text,
        });
    } else if (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined) {
      for (const { name, propertyName } of statement.exportClause.elements)
        passedOn.set(name.text, {
          path: origin(statement.moduleSpecifier),
          name: (propertyName ?? name).text,
        });
    } else if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) declared.set(name.text, statement);
    } else if (statement.name !== undefined) declared.set(statement.name.text, statement);
  }
  return { declared, imported, passedOn };
}

function namesIn(ts, statement) {
  const names = new Set();
  const visit = (node) => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(statement);
  names.delete(statement.name?.text);
  return names;
}

function textOf(ts, statement, isExported) {
  const whole = statement.getFullText().trim();
  if (isExported) return whole;
  const { parent: source, modifiers = [] } = statement;
  const mark = modifiers.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (mark === undefined) return whole;
  const comment = source.text.slice(statement.getFullStart(), mark.getStart()).trim();
  const rest = source.text.slice(mark.getEnd(), statement.getEnd()).trim();
  return comment === "" ? rest : `${comment}\n${rest}`;
}
