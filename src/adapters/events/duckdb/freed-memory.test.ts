// Memory is asked for when the process has grown, once at a time, and an open DuckDB really has it given back.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { releaseBuffer } from "../../../engine/bytes/release-buffer.js";
import { FreedMemory, GROWTH_BYTES } from "./freed-memory.js";
import { closeDuckDb, openDuckDb } from "./open-duckdb.js";

const MEBIBYTE = 1024 * 1024;

class ProcessOfTest {
  resident = 100 * MEBIBYTE;
  /** What is resident once memory was given back. */
  kept = 100 * MEBIBYTE;
  asked = 0;
  answer: Promise<void> = Promise.resolve();

  residentBytes(): number {
    return this.resident;
  }

  async giveBack(): Promise<void> {
    this.asked++;
    await this.answer;
    this.resident = this.kept;
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("freed memory", () => {
  test("is asked for once the process has grown by so much, and again when it has grown from there", async () => {
    const process = new ProcessOfTest();
    const freed = new FreedMemory(process);
    process.resident += GROWTH_BYTES - 1;
    freed.look();
    expect(process.asked).toBe(0);
    process.resident += 1;
    process.kept = process.resident - MEBIBYTE;
    freed.look();
    expect(process.asked).toBe(1);
    await settled();
    // What is in use isn't asked for again and again.
    process.resident = process.kept + GROWTH_BYTES - 1;
    freed.look();
    expect(process.asked).toBe(1);
    process.resident += 1;
    freed.look();
    expect(process.asked).toBe(2);
    await freed.stop();
  });

  test("is asked for when the process has shrunk by itself, and grown from there", () => {
    const process = new ProcessOfTest();
    const freed = new FreedMemory(process);
    process.resident -= 50 * MEBIBYTE;
    freed.look();
    process.resident += GROWTH_BYTES;
    freed.look();
    expect(process.asked).toBe(1);
  });

  test("is asked for once at a time, and the end waits for that", async () => {
    const process = new ProcessOfTest();
    let answer = (): void => undefined;
    process.answer = new Promise((resolve) => {
      answer = resolve;
    });
    const freed = new FreedMemory(process);
    process.resident += GROWTH_BYTES;
    freed.look();
    process.resident += GROWTH_BYTES;
    freed.look();
    expect(process.asked).toBe(1);
    let isStopped = false;
    const stopping = freed.stop().then(() => {
      isStopped = true;
    });
    await settled();
    expect(isStopped).toBe(false);
    answer();
    await stopping;
  });

  test("that isn't given back is asked for when the process has grown further", async () => {
    const process = new ProcessOfTest();
    process.answer = Promise.reject(new Error("no memory"));
    const freed = new FreedMemory(process);
    for (let times = 1; times <= 3; times++) {
      process.resident += GROWTH_BYTES;
      freed.look();
      await settled();
      expect(process.asked).toBe(times);
    }
  });
});

/** Other C libraries give back by themselves, or not at all. */
const isGlibc =
  process.platform === "linux" &&
  "glibcVersionRuntime" in (process.report.getReport() as { readonly header: object }).header;

describe.runIf(isGlibc)("while DuckDB is open", () => {
  test("the C library gives back what was freed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "findling-freed-"));
    const database = await openDuckDb({ path: join(folder, "events.duckdb"), memoryMb: 64, threads: 1 });
    try {
      // Of pools, since they are short; what stays in between keeps the pool from shrinking by itself.
      const buffers = Array.from({ length: 1500 }, () => new ArrayBuffer(100_000));
      for (const buffer of buffers) new Uint8Array(buffer).fill(1);
      for (const [place, buffer] of buffers.entries()) if (place % 30 > 0) releaseBuffer(buffer);
      const before = process.memoryUsage.rss();
      await expect.poll(() => before - process.memoryUsage.rss()).toBeGreaterThan(100 * MEBIBYTE);
    } finally {
      await closeDuckDb(database);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
