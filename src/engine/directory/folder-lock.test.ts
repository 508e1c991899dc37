// Properties: of any number of contenders one holds the lock; a holder that was killed loses it, one
// that runs never does, whatever its file claims about another time.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FindlingError } from "../../errors/index.js";
import { lockFolder } from "./folder-lock.js";
import { identifyThisProcess, isGone, type ProcessIdentity } from "./process-identity.js";

const MODULE = new URL("./folder-lock.ts", import.meta.url).href;
const LOADER = new URL("../../../node_modules/tsx/dist/loader.mjs", import.meta.url).href;

/** Locks the folder when a line comes in, says what came of it, and waits to be killed. */
const CONTENDER = `
  import { lockFolder } from ${JSON.stringify(MODULE)};
  console.log("ready");
  process.stdin.once("data", () => {
    lockFolder(process.argv[1]).then(() => console.log("held"), (error) => console.log(error.code ?? String(error)));
  });
`;

let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-lock-"));
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  await rm(folder, { recursive: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

async function contender(): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ["--import", LOADER, "--input-type=module", "-e", CONTENDER, folder],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  children.push(child);
  expect(await line(child)).toBe("ready");
  return child;
}

async function line(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout!, "data")) as [Buffer];
  return chunk.toString().trim();
}

async function contend(child: ChildProcess): Promise<string> {
  const answer = line(child);
  child.stdin!.write("go\n");
  return answer;
}

describe("lockFolder", () => {
  test("between processes: refused while the holder runs, taken over once it is killed", async () => {
    const [first, second] = await Promise.all([contender(), contender()]);
    expect(await contend(first)).toBe("held");
    expect(await contend(second)).toBe("storage_locked");
    await expect(lockFolder(folder)).rejects.toThrow(`folder '${folder}' is locked by process ${first.pid}`);
    await kill(first);
    const lock = await lockFolder(folder);
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  test("of several processes after a dead holder's lock at once, exactly one gets it", async () => {
    const holder = await contender();
    expect(await contend(holder)).toBe("held");
    const rivals = await Promise.all([contender(), contender(), contender()]);
    await kill(holder);
    const answers = await Promise.all(rivals.map(contend));
    expect(answers.toSorted()).toEqual(["held", "storage_locked", "storage_locked"]);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test("within a process never two at a time, and one of many always", async () => {
    for (let round = 0; round < 5; round++) {
      const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(folder)));
      const held = attempts.filter((attempt) => attempt.status === "fulfilled");
      expect(held.length).toBe(1);
      for (const attempt of attempts) {
        if (attempt.status === "rejected")
          expect((attempt.reason as FindlingError).code).toBe("storage_locked");
        else await attempt.value.release();
      }
      expect(await readdir(folder)).toEqual([]);
    }
  });

  test("a claim nobody can read holds, and the message says which file to delete", async () => {
    await writeFile(join(folder, ".lock-x"), "scribble");
    await expect(lockFolder(folder)).rejects.toThrow(`delete '${join(folder, ".lock-x")}'`);
  });

  test("writes down who holds it", async () => {
    const lock = await lockFolder(folder);
    const [name] = await readdir(folder);
    const [identity, state] = (await readFile(join(folder, name!), "utf8")).split("\n");
    expect(JSON.parse(identity!)).toEqual(await identifyThisProcess());
    expect(state).toBe("held");
    await lock.release();
  });
});

describe("isGone", () => {
  test("tells this process from others of its number, boot and host", async () => {
    const self = await identifyThisProcess();
    const gone = (changes: Partial<ProcessIdentity>): Promise<boolean> =>
      isGone({ ...self, ...changes }, self);
    expect(await gone({})).toBe(false);
    expect(await gone({ bootId: "another" })).toBe(true);
    expect(await gone({ bootId: "another", hostname: "another" })).toBe(false);
    expect(await gone({ hostname: "another", pidNamespace: "another" })).toBe(false);
    if (self.startTime !== null) expect(await gone({ startTime: "1" })).toBe(true);
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    expect(await gone({ pid: child.pid! })).toBe(true);
  });
});
