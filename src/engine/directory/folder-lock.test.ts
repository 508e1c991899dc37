// Properties: of any number of contenders one holds the lock, whatever namespaces they are in and whatever their
// host is called; a holder that was killed has lost it at once, one that runs never does; a copy is nobody's.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { FindlingError } from "../../errors/index.js";
import { identifyThisProcess, isRunning } from "./claim-holder.js";
import { ClaimWatch, HEARTBEAT_MS, SILENCE_MS } from "./claims.js";
import { FolderLock, requireUnlocked } from "./folder-lock.js";

/** Locks the folder when a line comes in, says what came of it, and waits to be killed. */
const CONTENDER = `
  import { FolderLock } from "./folder-lock.js";
  console.log("ready");
  process.stdin.once("data", () => {
    FolderLock.take(process.argv[2]).then(() => console.log("held"), (error) => console.log(error.code + ": " + error.message));
  });
`;

/** A container's view: its own processes, network, mounts and host name. */
const NAMESPACES = ["--pid", "--net", "--mount", "--uts", "--ipc", "--fork", "--kill-child"];
const isSkipped =
  process.env["FINDLING_TEST_ALL"] !== "1" && spawnSync("unshare", [...NAMESPACES, "true"]).status !== 0;

/** The program of the compiled lock and the contender: dozens of processes are to start soon after each other. */
let program: string;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  program = await mkdtemp(join(tmpdir(), "findling-lock-program-"));
  const bundle = await rolldown({
    input: fileURLToPath(new URL("./folder-lock.ts", import.meta.url)),
    platform: "node",
  });
  await bundle.write({ file: join(program, "folder-lock.js"), format: "esm" });
  await writeFile(join(program, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(program, "contender.js"), CONTENDER);
});

afterAll(async () => {
  await rm(program, { recursive: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-lock-"));
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  await rm(folder, { recursive: true, force: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** @param container its host name; undefined: it runs beside this process */
async function contender(path: string = folder, container?: string): Promise<ChildProcess> {
  const node = [process.execPath, join(program, "contender.js"), path];
  const command =
    container === undefined
      ? node
      : ["unshare", ...NAMESPACES, "sh", "-c", `hostname ${container} && exec "$@"`, "sh", ...node];
  const child = spawn(command[0]!, command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
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

async function opens(path: string, now?: () => number): Promise<void> {
  const lock = await FolderLock.take(path, now);
  await lock.release();
}

/** As a file of the claim, without its socket. */
async function claimIn(path: string): Promise<string> {
  const [claim] = (await readdir(path)).filter(
    (name) => name.startsWith(".lock-") && !name.endsWith(".socket"),
  );
  return claim!;
}

describe("between processes", () => {
  test("refused while the holder runs, taken over once it is killed, and nothing is left in the end", async () => {
    const [first, second] = await Promise.all([contender(), contender()]);
    expect(await contend(first)).toBe("held");
    expect(await contend(second)).toMatch(/^storage_locked: /);
    await expect(FolderLock.take(folder)).rejects.toThrow(
      `folder '${folder}' is locked by process ${first.pid}`,
    );
    await kill(first);
    await opens(folder);
    expect(await readdir(folder)).toEqual([]);
  });

  test("a holder that stands still keeps it", async () => {
    const holder = await contender();
    expect(await contend(holder)).toBe("held");
    holder.kill("SIGSTOP");
    await expect(FolderLock.take(folder)).rejects.toMatchObject({ code: "storage_locked" });
    holder.kill("SIGCONT");
  });

  test("of twenty processes after a dead holder's lock at once, exactly one gets it", async () => {
    const holder = await contender();
    expect(await contend(holder)).toBe("held");
    const rivals: ChildProcess[] = [];
    for (let each = 0; each < 20; each += 5)
      rivals.push(...(await Promise.all(Array.from({ length: 5 }, () => contender()))));
    await kill(holder);
    const answers = await Promise.all(rivals.map(contend));
    expect(answers.filter((answer) => answer === "held")).toHaveLength(1);
    expect(answers.filter((answer) => !/^(held$|storage_locked: )/.test(answer))).toEqual([]);
    expect(await readdir(folder)).toHaveLength(2);
  }, 120_000);

  test("within a process never two at a time, and one of many always", async () => {
    for (let round = 0; round < 5; round++) {
      const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => FolderLock.take(folder)));
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

  test("works in a folder whose path is longer than a socket's address", async () => {
    const deep = join(folder, "x".repeat(120), "y".repeat(120));
    await mkdir(deep, { recursive: true });
    const holder = await contender(deep);
    expect(await contend(holder)).toBe("held");
    await expect(FolderLock.take(deep)).rejects.toThrow(`by process ${holder.pid}`);
    await kill(holder);
    await opens(deep);
  });
});

describe.skipIf(isSkipped)("between containers (needs unshare)", () => {
  test.each([
    ["the same", "one", "one"],
    ["different", "one", "other"],
  ])(
    "with %s host name: refused while the first runs, taken over once it is killed",
    async (_, first, second) => {
      const holder = await contender(folder, first);
      expect(await contend(holder)).toBe("held");
      const answer = await contend(await contender(folder, second));
      expect(answer).toMatch(new RegExp(`^storage_locked: .*another container .*host name '${first}'`));
      await expect(FolderLock.take(folder)).rejects.toThrow("another container");
      await kill(holder);
      expect(await contend(await contender(folder, "third"))).toBe("held");
    },
  );

  test("a process beside a container: the container is refused", async () => {
    const lock = await FolderLock.take(folder);
    expect(await contend(await contender(folder, "one"))).toMatch(/^storage_locked: /);
    await lock.release();
    expect(await contend(await contender(folder, "one"))).toBe("held");
  });

  test("of ten containers at once exactly one gets it", async () => {
    const rivals: ChildProcess[] = [];
    for (let each = 0; each < 10; each += 5)
      rivals.push(
        ...(await Promise.all(Array.from({ length: 5 }, (_, i) => contender(folder, `host${i % 2}`)))),
      );
    const answers = await Promise.all(rivals.map(contend));
    expect(answers.filter((answer) => answer === "held")).toHaveLength(1);
  }, 120_000);
});

describe("copies of a folder that is held", () => {
  let holder: ChildProcess;
  let copy: string;

  beforeEach(async () => {
    holder = await contender(folder, isSkipped ? undefined : "original");
    expect(await contend(holder)).toBe("held");
    copy = await mkdtemp(join(tmpdir(), "findling-lock-copy-"));
    await rm(copy, { recursive: true });
  });

  afterEach(async () => {
    await rm(copy, { recursive: true, force: true });
  });

  async function opensAtOnce(): Promise<void> {
    // One look says that it is over: it needn't be watched for signs of life.
    expect(await new ClaimWatch(await identifyThisProcess(), () => 0).rivalsIn(copy, null)).toEqual([]);
    expect(await readdir(copy)).toEqual([]);
    await opens(copy);
    await expect(FolderLock.take(folder)).rejects.toMatchObject({ code: "storage_locked" });
  }

  test("with its socket (cp -a)", async () => {
    execFileSync("cp", ["-a", folder, copy]);
    expect(await readdir(copy)).toHaveLength(2);
    await opensAtOnce();
  });

  test("without its socket (tar)", async () => {
    await mkdir(copy);
    execFileSync("sh", ["-c", 'tar -C "$1" -cf - . 2>/dev/null | tar -C "$2" -xf -', "sh", folder, copy]);
    expect(await readdir(copy)).toHaveLength(1);
    await opensAtOnce();
  });
});

describe("claims that no socket tells of", () => {
  /** A claim as another machine has put it up: its socket answers nobody here. */
  async function fromElsewhere(): Promise<string> {
    const lock = await FolderLock.take(folder);
    const claim = await claimIn(folder);
    const text = await readFile(join(folder, claim), "utf8");
    const moved = join(folder, "claim");
    await link(join(folder, claim), moved);
    await lock.release();
    await chmod(moved, 0o644);
    await writeFile(moved, text.replace(/"bootId":"[^"]*"/, '"bootId":"another"'));
    await chmod(moved, 0o444);
    await rename(moved, join(folder, claim));
    return join(folder, claim);
  }

  /** Stands unless it is set: how long a claim has been silent doesn't depend on how busy the machine is. */
  class StandingClock {
    ms = 0;
    #asked = 0;
    readonly now = (): number => {
      this.#asked++;
      return this.ms;
    };

    /** Resolves once a contender has looked at claims anew; it asks a few times with each look. */
    async untilLooked(): Promise<void> {
      const before = this.#asked;
      await expect.poll(() => this.#asked).toBeGreaterThan(before + 5);
    }
  }

  async function opensOnceSilent(): Promise<void> {
    const clock = new StandingClock();
    let isOpen = false;
    const opening = opens(folder, clock.now).then(() => (isOpen = true));
    await clock.untilLooked();
    clock.ms = SILENCE_MS - 1;
    await clock.untilLooked();
    expect(isOpen).toBe(false);
    clock.ms = SILENCE_MS;
    await opening;
  }

  test("hold for as long as they give signs of life, and are named", async () => {
    const claim = await fromElsewhere();
    const clock = new StandingClock();
    const refused = expect(FolderLock.take(folder, clock.now)).rejects.toThrow("another machine");
    await clock.untilLooked();
    clock.ms = SILENCE_MS - 1;
    await utimes(claim, new Date(), new Date());
    await refused;
    await opensOnceSilent();
    expect(await readdir(folder)).toEqual([]);
  });

  test("a claim that nobody can read is over once it has given no sign of life", async () => {
    await writeFile(join(folder, `.lock-${crypto.randomUUID()}`), "scribble");
    await opensOnceSilent();
    expect(await readdir(folder)).toEqual([]);
  });

  test("programs of before without sockets hold it for as long as they run", async () => {
    const self = await identifyThisProcess();
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    children.push(child);
    const stat = await readFile(`/proc/${child.pid}/stat`, "utf8");
    const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    const before = { ...self, pid: child.pid, startTime };
    await writeFile(join(folder, `.lock-${crypto.randomUUID()}`), `${JSON.stringify(before)}\nheld\n`);
    await expect(FolderLock.take(folder)).rejects.toThrow(`locked by process ${child.pid}`);
    await kill(child);
    await opens(folder);
  });
});

describe("a data folder and the indexes in it", () => {
  test("are one process's", async () => {
    const index = join(folder, "indexes", "0123");
    await mkdir(index, { recursive: true });
    const ofAll = await FolderLock.take(folder);
    await expect(FolderLock.take(index)).rejects.toThrow(`folder '${folder}' is locked by this process`);
    await requireUnlocked(index);
    await ofAll.release();
    const ofOne = await FolderLock.take(index);
    await expect(requireUnlocked(index)).rejects.toMatchObject({ code: "storage_locked" });
    await ofOne.release();
  });
});

describe("a holder whose claim was deleted by hand", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("puts up another one", async () => {
    const lock = await FolderLock.take(folder);
    const first = await claimIn(folder);
    for (const name of await readdir(folder)) await rm(join(folder, name));
    vi.advanceTimersByTime(HEARTBEAT_MS);
    await expect.poll(() => claimIn(folder)).toBeDefined();
    expect(await claimIn(folder)).not.toBe(first);
    expect(lock.lost).toBeNull();
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  test("knows that it has lost the folder to another", async () => {
    const lock = await FolderLock.take(folder);
    const aside = `${folder}-aside`;
    await cp(folder, aside, { recursive: true, filter: (path) => !path.includes(".lock") });
    for (const name of await readdir(folder)) await rm(join(folder, name));
    const other = await FolderLock.take(folder);
    vi.advanceTimersByTime(HEARTBEAT_MS);
    await expect.poll(() => lock.lost).toMatchObject({ code: "storage_locked" });
    await lock.release();
    await expect(FolderLock.take(folder)).rejects.toMatchObject({ code: "storage_locked" });
    await other.release();
    await rm(aside, { recursive: true });
  });
});

test("a process is told from others of its number, boot and namespace", async () => {
  const self = await identifyThisProcess();
  expect(await isRunning(self, self)).toBe(true);
  expect(await isRunning({ ...self, bootId: "another" }, self)).toBe(null);
  expect(await isRunning({ ...self, pidNamespace: "another" }, self)).toBe(null);
  if (self.startTime !== null) expect(await isRunning({ ...self, startTime: "1" }, self)).toBe(false);
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  expect(await isRunning({ ...self, pid: child.pid! }, self)).toBe(false);
});
