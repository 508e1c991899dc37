/** A column's name as a field may be named (contract 4.1): other characters become underscores. */
function fieldName(column: string, position: number): string {
  const name = column
    .trim()
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .slice(0, 127);
  if (name === "") return `column_${position + 1}`;
  if (name === "_id") return "id_";
  if (name === "__proto__") return "proto";
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

/**
 * The fields that columns become, in order: as they are named, as far as fields may be, and numbered where several
 * columns have one name.
 *
 * @param onRename told of each column whose field has another name
 */
export function fieldsOfColumns(
  columns: readonly string[],
  onRename: (column: string, field: string) => void,
): readonly string[] {
  const fields: string[] = [];
  const taken = new Set<string>();
  for (const [position, column] of columns.entries()) {
    const name = fieldName(column, position);
    let field = name;
    for (let number = 2; taken.has(field); number++) field = `${name.slice(0, 120)}_${number}`;
    if (field !== column) onRename(column, field);
    taken.add(field);
    fields.push(field);
  }
  return fields;
}
