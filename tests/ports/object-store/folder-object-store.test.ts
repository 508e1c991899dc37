import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { FolderObjectStore } from "../../../src/adapters/object-stores/folder-object-store.js";
import { openObjectStore } from "../../../src/adapters/object-stores/open-object-store.js";
import { keysOf, objectStoreSuite } from "./object-store-suite.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "findling-objects-"));
  folders.push(folder);
  return folder;
}

describe("a folder", () => {
  objectStoreSuite(async () => new FolderObjectStore(newFolder()), 60);

  test("shows nothing that isn't whole, and leaves nothing behind", async () => {
    const folder = newFolder();
    const store = new FolderObjectStore(folder);
    writeFileSync(join(folder, ".unfinished-1"), "half");
    await store.put("a/b", new Uint8Array(3));
    await store.put("a/b", new Uint8Array(3), { ifAbsent: true });
    expect(await keysOf(store, "")).toEqual(["a/b"]);
    expect(readdirSync(join(folder, "a"))).toEqual(["b"]);
  });

  test("that can't be written or read is unavailable, and says which", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "file"), "x");
    mkdirSync(join(folder, "folder"));
    await expect(
      new FolderObjectStore(join(folder, "file")).put("a", new Uint8Array(1)),
    ).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    await expect(new FolderObjectStore(folder).put("folder", new Uint8Array(1))).rejects.toMatchObject({
      code: "storage_unavailable",
    });
  });
});

describe("addresses", () => {
  test.each(["", "backups", "/var/backups", "http://x", "ftp://x/y", "file://host/x", "s3:", "s3://"])(
    "%j is none",
    async (address) => {
      const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
      await expect(openObjectStore(address, env)).rejects.toMatchObject({ code: "invalid_configuration" });
    },
  );

  test("a bucket needs credentials, and what is wrong is said without them", async () => {
    await expect(openObjectStore("s3://bucket/x", { AWS_ACCESS_KEY_ID: "a" })).rejects.toThrow(
      "AWS_SECRET_ACCESS_KEY",
    );
    const env = {
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "very-secret",
      AWS_ENDPOINT_URL: "nonsense",
    };
    const error = await openObjectStore("s3://bucket/x", env).catch((thrown: unknown) => String(thrown));
    expect(error).toContain("AWS_ENDPOINT_URL");
    expect(error).not.toContain("very-secret");
  });
});
