/** `npm run sbom` names what an installation brings along and what is built into it, each with a licence, and no tools. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT, run } from "./packed.js";

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly unknown[];
}

test("the bill of materials is of what is shipped", () => {
  const path = join(PROJECT, "sbom.cdx.json");
  run(PROJECT, process.execPath, "scripts/bill-of-materials.mjs");
  const bill = JSON.parse(readFileSync(path, "utf8")) as { bomFormat: string; components: Component[] };
  rmSync(path);
  expect(bill.bomFormat).toBe("CycloneDX");
  const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);
  const names = bill.components.map(nameOf);
  const manifest = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as Record<string, object>;
  const installed = Object.keys({ ...manifest["dependencies"], ...manifest["optionalDependencies"] });
  const builtIn = ["react", "react-dom", "uplot", "assemblyscript"];
  expect([...installed, ...builtIn].filter((name) => !names.includes(name))).toEqual([]);
  expect(names.filter((name) => ["vitest", "typescript", "vite", "eslint"].includes(name))).toEqual([]);
  expect(bill.components.filter(({ licenses = [] }) => licenses.length === 0).map(nameOf)).toEqual([]);
}, 300_000);
