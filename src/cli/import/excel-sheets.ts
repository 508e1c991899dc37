import type { FileHandle } from "node:fs/promises";
import { unpackedPart } from "./zip-parts.js";

/** A sheet of an Excel file, in the order of its tabs. */
export interface ExcelSheet {
  readonly name: string;
  /** Whether Excel shows its tab. */
  readonly isVisible: boolean;
}

/** Where the sheets of a workbook are listed (ECMA-376, part 1, 18.2.19). */
const WORKBOOK = "xl/workbook.xml";
const SHEET = /<(?:\w+:)?sheet((?:\s+[\w:]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g;
const ATTRIBUTE = /([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The sheets that have a name; none where the file doesn't list them as Excel does. */
export async function excelSheets(file: FileHandle): Promise<readonly ExcelSheet[]> {
  const xml = (await unpackedPart(file, WORKBOOK))?.toString("utf8") ?? "";
  return [...xml.matchAll(SHEET)].flatMap(([, attributes = ""]) => {
    const given = new Map(
      [...attributes.matchAll(ATTRIBUTE)].map(([, name, double, single]) => [name, double ?? single ?? ""]),
    );
    const name = given.get("name") ?? "";
    // The other states are `hidden` and `veryHidden`.
    const isVisible = (given.get("state") ?? "visible") === "visible";
    return name === "" ? [] : [{ name: textOf(name), isVisible }];
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function textOf(escaped: string): string {
  return escaped.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
