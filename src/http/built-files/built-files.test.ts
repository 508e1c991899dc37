import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BuiltFiles } from "./built-files.js";

describe("BuiltFiles", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "findling-built-files-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const build = (asset: string, builtAt: number): void => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, "assets"), { recursive: true });
    writeFileSync(join(folder, "index.html"), `<script src="${asset}">`);
    writeFileSync(join(folder, asset), asset);
    writeFileSync(join(folder, ".built"), "");
    utimesSync(join(folder, ".built"), builtAt, builtAt);
  };

  test("are those of the newest build, also where it came later", () => {
    build("assets/a.js", 1_000);
    const files = new BuiltFiles(folder);
    expect(files.text("index.html")).toContain("assets/a.js");
    expect(files.find("assets/a.js", undefined)?.bytes.toString()).toBe("assets/a.js");
    build("assets/b.js", 2_000);
    expect(files.text("index.html")).toContain("assets/b.js");
    expect(files.find("assets/b.js", undefined)?.bytes.toString()).toBe("assets/b.js");
    expect([files.has("assets/a.js"), files.find("assets/a.js", undefined)]).toEqual([false, undefined]);
  });

  test("that a build is taking away aren't there, which is no failure", () => {
    build("assets/a.js", 1_000);
    const files = new BuiltFiles(folder);
    rmSync(join(folder, "index.html"));
    expect(files.find("index.html", undefined)).toBeUndefined();
    rmSync(folder, { recursive: true });
    expect([files.has("index.html"), files.text("index.html")]).toEqual([false, undefined]);
    build("assets/b.js", 2_000);
    expect(files.text("index.html")).toContain("assets/b.js");
  });
});
