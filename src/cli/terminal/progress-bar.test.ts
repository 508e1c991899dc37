// Properties: the line counts this run alone in rate and remaining time; it is drawn in place on a
// terminal and rarely elsewhere.
import { describe, expect, it } from "vitest";
import { formatProgress, type Progress, ProgressBar } from "./progress-bar.js";

const HALF: Progress = { documents: 1_000, bytesDone: 500, bytesBefore: 0, bytesTotal: 1_000, seconds: 2 };

describe("formatProgress", () => {
  it("shows how far, how fast and how long still", () => {
    expect(formatProgress(HALF)).toBe("[############............] 50%  1,000 docs  500 docs/s  2.0 s left");
  });

  it("reckons with this run alone where it goes on with an earlier one", () => {
    const line = formatProgress({ ...HALF, bytesDone: 750, bytesBefore: 500 });
    expect(line).toBe("[##################......] 75%  1,000 docs  500 docs/s  2.0 s left");
  });

  it("shows bytes where the size isn't known, and no guess before anything is done", () => {
    expect(formatProgress({ ...HALF, bytesDone: 2_048, bytesTotal: undefined })).toBe(
      "2.0 KiB  1,000 docs  500 docs/s",
    );
    expect(formatProgress({ ...HALF, documents: 0, bytesDone: 0, seconds: 0 })).toBe(
      "[........................] 0%  0 docs  0 docs/s",
    );
  });

  it("never promises more than the whole", () => {
    const line = formatProgress({ ...HALF, bytesDone: 1_001 });
    expect(line).toBe("[########################] 100%  1,000 docs  500 docs/s  0.0 s left");
  });
});

describe("ProgressBar", () => {
  function drawn(isTTY: boolean, columns: number, times: readonly number[]): string {
    let now = 0;
    let text = "";
    const stream = { isTTY, columns, write: (part: string) => (text += part) };
    const bar = new ProgressBar(stream, () => now);
    for (const time of times) {
      now = time;
      bar.update(HALF);
    }
    bar.clear();
    return text;
  }

  it("redraws one line on a terminal, cut to its width, and takes it away", () => {
    const line = formatProgress(HALF).slice(0, 39);
    expect(drawn(true, 40, [50, 100, 150, 200])).toBe(`\r\x1b[2K${line}\r\x1b[2K${line}\r\x1b[2K`);
  });

  it("writes a line every five seconds elsewhere", () => {
    expect(drawn(false, 80, [100, 5_000, 6_000, 10_000])).toBe(`${formatProgress(HALF)}\n`.repeat(2));
  });
});
