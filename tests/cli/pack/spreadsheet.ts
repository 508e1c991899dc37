import { crc32, deflateRawSync } from "node:zlib";

export type SheetCell =
  | string
  | number
  | boolean
  | { readonly days: number }
  | { readonly formula: string; readonly value: number }
  | { readonly formula: string; readonly error: string }
  | null;

export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly SheetCell[])[];
  readonly isHidden?: boolean;
  /** Cells that are one. */
  readonly merged?: string;
}

/** An Excel file of sheets, as Excel writes it: deflated parts, texts shared or inline, dates as days since 1900. */
export function xlsx(sheets: Readonly<Record<string, readonly (readonly SheetCell[])[]>>): Buffer {
  return workbook(Object.entries(sheets).map(([name, rows]) => ({ name, rows })));
}

export function workbook(sheets: readonly Sheet[]): Buffer {
  const parts: Record<string, string> = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>${sheets.map(({ name, isHidden }, i) => `<sheet name="${name}" sheetId="${i + 1}"${isHidden === true ? ' state="hidden"' : ""} r:id="rId${i + 1}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${sheets.map((_, i) => `<Relationship Id="rId${i + 1}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`).join("")}<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  };
  for (const [i, sheet] of sheets.entries()) parts[`xl/worksheets/sheet${i + 1}.xml`] = sheetXml(sheet);
  return zip(Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)]));
}

function sheetXml({ rows, merged }: Sheet): string {
  const xml = rows.map((cells, row) => {
    const written = cells.map((cell, column) =>
      cellXml(cell, `${String.fromCharCode(65 + column)}${row + 1}`),
    );
    return `<row r="${row + 1}">${written.join("")}</row>`;
  });
  return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${xml.join("")}</sheetData>${merged === undefined ? "" : `<mergeCells count="1"><mergeCell ref="${merged}"/></mergeCells>`}</worksheet>`;
}

function cellXml(cell: SheetCell, place: string): string {
  if (cell === null) return "";
  if (typeof cell === "number") return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === "object" && "error" in cell)
    return `<c r="${place}" t="e"><f>${cell.formula}</f><v>${cell.error}</v></c>`;
  if (typeof cell === "object" && "formula" in cell)
    return `<c r="${place}"><f>${cell.formula}</f><v>${cell.value}</v></c>`;
  if (typeof cell === "object") return `<c r="${place}" s="1"><v>${cell.days}</v></c>`;
  const text = cell.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
}

/** A zip archive of deflated parts. */
export function zip(parts: readonly (readonly [string, Buffer])[]): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const packed = deflateRawSync(content);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(crc32(content), 14);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(content.length, 22);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    header.copy(entry, 6, 4, 28);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    pieces.push(header, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    offset += header.length + name.length + packed.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, entries, end]);
}
