import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { StoredIndexes } from "../../adapters/catalog/read-data-folder.js";
import type { Configuration } from "../../config/index.js";
import { FindlingError } from "../../errors/index.js";
import { CliError } from "../cli-error.js";
import type { Finding } from "../finding.js";
import { DEFAULT_DATA_DIR, serverEnvironment } from "../local-server.js";
import { describeSetAside, findSetAside } from "../set-aside-folders.js";
import { formatBytes, formatCount } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";

export interface DoctorOptions {
  readonly config?: string;
}

/** A merge needs about as much as the segments it joins, a commit point a few kilobytes. */
const ROOM_BYTES = { scarce: 2 ** 30, none: 2 ** 24 };
const ROOM_SHARE_SCARCE = 0.05;
const FREE_FILES_SCARCE = 1000;
/** Each connection takes one descriptor, each open index some. */
const DESCRIPTORS_SCARCE = 4096;
/** No version was there before: a clock that says so is not set. */
const EARLIEST_TIME = Date.UTC(2025, 0, 1);
const CLOCK_SLACK_MS = 60_000;

/** `findling doctor`: each finding with what to do. Changes none of the data, and a server may run on it. */
export async function runDoctor(
  dataDir: string | undefined,
  options: DoctorOptions,
  output: Output,
): Promise<void> {
  const { findings: settings, folder, configuration } = await checkConfiguration(dataDir, options);
  const findings = [
    ...settings,
    checkDescriptors(),
    ...(await checkFolder(folder, configuration)),
    ...(configuration === undefined ? [] : await reachable(folder, configuration)),
  ];
  output.result(
    { data_dir: folder, well: findings.every(({ standing }) => standing === "ok"), findings },
    findings.map(describe).join("\n"),
  );
  const grave = findings.filter(({ standing }) => standing === "problem" || standing === "damage");
  if (grave.length === 0) return;
  const isDamage = grave.some(({ standing }) => standing === "damage");
  const code = isDamage ? "storage_corrupt" : "unwell";
  throw new CliError(code, `${grave.length} ${grave.length === 1 ? "problem" : "problems"} found`);
}

async function checkConfiguration(
  named: string | undefined,
  { config }: DoctorOptions,
): Promise<{
  readonly findings: readonly Finding[];
  readonly folder: string;
  /** Absent where it isn't in order. */
  readonly configuration?: Configuration;
}> {
  const { loadConfiguration } = await import("../../config/index.js");
  const check = "configuration";
  try {
    const configuration = loadConfiguration({
      env: serverEnvironment(),
      file: config,
      flags: { dataDir: named },
    });
    const findings: Finding[] = [{ check, standing: "ok", finding: "every setting is in order" }];
    return { findings, folder: configuration.dataDir, configuration };
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error;
    const advice = "mend it; 'findling config print' shows every setting";
    const findings: Finding[] = [{ check, standing: "problem", finding: error.message, advice }];
    // As far as it can be told without the settings that are wrong.
    return { findings, folder: named ?? (process.env["FINDLING_DATA_DIR"]?.trim() || DEFAULT_DATA_DIR) };
  }
}

async function reachable(folder: string, configuration: Configuration): Promise<readonly Finding[]> {
  const { checkReachability } = await import("../reachability.js");
  if (configuration.backend === "opensearch") {
    const { checkCluster } = await import("../check-cluster.js");
    // No server holds a folder.
    const reached = await checkReachability(configuration, null, process.env);
    return [...reached, ...(await checkCluster(configuration))];
  }
  return checkReachability(configuration, existsSync(folder) && (await isHeld(folder)), process.env);
}

async function isHeld(folder: string): Promise<boolean> {
  const { requireUnlocked } = await import("../../engine/server-door.js");
  try {
    await requireUnlocked(folder);
    return false;
  } catch (error) {
    return error instanceof FindlingError && error.code === "storage_locked";
  }
}

function checkDescriptors(): Finding {
  const check = "descriptors";
  const limit = descriptorLimit();
  if (limit === null) return { check, standing: "ok", finding: "the system tells no limit" };
  const finding = `a process may have ${formatCount(limit)} files and connections open`;
  if (limit >= DESCRIPTORS_SCARCE) return { check, standing: "ok", finding };
  const advice = "raise the limit where the server is started (ulimit -n 65536, LimitNOFILE=65536)";
  return { check, standing: "warning", finding, advice };
}

/** The limit of this process, as a server started from the same place would have it; null where it can't be told. */
function descriptorLimit(): number | null {
  try {
    const [, soft] =
      /^Max open files +(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined || soft === "unlimited" ? null : Number(soft);
  } catch {
    return null;
  }
}

async function checkFolder(
  folder: string,
  configuration: Configuration | undefined,
): Promise<readonly Finding[]> {
  if (!existsSync(folder)) {
    const finding = `'${folder}' is not there; the server's first start makes it`;
    return [{ check: "data folder", standing: "ok", finding }];
  }
  if (!statSync(folder).isDirectory()) {
    const finding = `'${folder}' is a file, not a folder`;
    const advice = "name the folder that 'findling serve' uses, with FINDLING_DATA_DIR";
    return [{ check: "data folder", standing: "problem", finding, advice }];
  }
  const ofMachine = [checkAccess(folder), checkRoom(folder), checkClock(folder)];
  if (configuration?.backend === "opensearch") return ofMachine;
  return [...ofMachine, await checkClaim(folder), ...(await checkStored(folder, configuration?.secretKey))];
}

function checkAccess(folder: string): Finding {
  const check = "data folder";
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    accessSync(folder, constants.W_OK);
    return { check, standing: "ok", finding: `'${folder}' can be read and written` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EROFS") {
      const finding = `'${folder}' is on a read-only file system: the server searches and takes no writes`;
      return { check, standing: "problem", finding, advice: "mount it writable (mount -o remount,rw)" };
    }
    const finding = `'${folder}' can't be read and written by this user (${code ?? "unknown reason"})`;
    const advice = "run this as the server's user, or give the folder to that user (chown -R)";
    return { check, standing: "problem", finding, advice };
  }
}

function checkRoom(folder: string): Finding {
  const check = "disk room";
  const { bavail, blocks, bsize, ffree, files } = statfsSync(folder);
  const free = bavail * bsize;
  const finding = `${formatBytes(free)} of ${formatBytes(blocks * bsize)} are free`;
  const advice = "make room, or give the folder a larger disk: merges need as much as the segments they join";
  if (free < ROOM_BYTES.none) return { check, standing: "problem", finding, advice };
  if (files > 0 && ffree < FREE_FILES_SCARCE) {
    const few = `the file system takes ${formatCount(ffree)} more files`;
    return {
      check,
      standing: ffree === 0 ? "problem" : "warning",
      finding: few,
      advice: "delete files from it",
    };
  }
  const isScarce = free < ROOM_BYTES.scarce || free < blocks * bsize * ROOM_SHARE_SCARCE;
  return isScarce ? { check, standing: "warning", finding, advice } : { check, standing: "ok", finding };
}

async function checkClaim(folder: string): Promise<Finding> {
  const { requireUnlocked } = await import("../../engine/server-door.js");
  const check = "lock";
  try {
    await requireUnlocked(folder);
    return { check, standing: "ok", finding: "no process holds the folder: a server can start on it" };
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error;
    if (error.code !== "storage_locked") return { check, standing: "problem", finding: error.message };
    return { check, standing: "ok", finding: `a server runs on it: ${error.message.split(";", 1)[0]!}` };
  }
}

function checkClock(folder: string): Finding {
  const check = "clock";
  const now = Date.now();
  const files = [
    join(folder, "catalog", "keys.json"),
    join(folder, "catalog", "indexes"),
    join(folder, "indexes"),
  ];
  const newest = Math.max(...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
  const time = new Date(now).toISOString();
  const advice = "set the clock (NTP): documents' ids, time decay and usage events go by it";
  if (now < EARLIEST_TIME) return { check, standing: "problem", finding: `it says ${time}`, advice };
  if (newest > now + CLOCK_SLACK_MS) {
    const finding = `it says ${time}, but files were written at ${new Date(newest).toISOString()}`;
    return { check, standing: "problem", finding, advice };
  }
  return { check, standing: "ok", finding: `it says ${time}` };
}

async function checkStored(folder: string, secretKey: string | undefined): Promise<readonly Finding[]> {
  const { readStoredIndexes } = await import("../../adapters/catalog/read-data-folder.js");
  let stored: StoredIndexes;
  try {
    stored = readStoredIndexes(folder);
  } catch {
    return [{ check: "catalog", standing: "ok", finding: "no server has stored anything in the folder yet" }];
  }
  const damage = stored.damage.map(
    ({ file, message }): Finding => ({
      check: "catalog",
      standing: "damage",
      finding: message,
      advice: adviceFor(file),
    }),
  );
  const setAside = (await findSetAside(folder, stored.indexes)).map(
    (each): Finding => ({ check: "set aside", standing: "damage", ...describeSetAside(each) }),
  );
  const count = stored.indexes.length;
  const named = `the catalog names ${formatCount(count)} ${count === 1 ? "index" : "indexes"}`;
  return [
    ...(damage.length > 0 ? damage : [{ check: "catalog", standing: "ok", finding: named } as const]),
    ...setAside,
    ...(await checkSecretKey(folder, stored, secretKey)),
  ];
}

/** What a server does meanwhile, and how to mend it. */
function adviceFor(file: string): string {
  const back = "put the file back from a copy while no server runs";
  if (basename(file) === "keys.json")
    return `${back}; until then no stored key lets anybody in, and FINDLING_ADMIN_KEY, which does, can make new ones`;
  if (basename(dirname(file)) === "indexes")
    return `${back}, or take the index back with 'findling adopt' as said of what is set aside; the server goes on without the index`;
  return `${back}, or make anew what it held; the server goes on without`;
}

async function checkSecretKey(
  folder: string,
  { indexes }: StoredIndexes,
  configured: string | undefined,
): Promise<readonly Finding[]> {
  const { checkStoredKeys, checkStoredSecrets } = await import(
    "../../adapters/catalog/check-stored-secrets.js"
  );
  const check = "secret key";
  try {
    const found = [
      ...(await checkStoredSecrets(folder, indexes, configured)),
      ...(await checkStoredKeys(folder, configured)),
    ];
    if (found.length === 0)
      return [{ check, standing: "ok", finding: "every stored secret and access key can be used" }];
    return found.map(({ problem, isDamage }) => {
      const advice =
        "give the key that it was encrypted with as FINDLING_SECRET_KEY, or set the secret or access key anew";
      return { check, standing: isDamage ? "damage" : "problem", finding: problem, advice };
    });
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error;
    const advice = "put the key back as it was when secrets were stored";
    return [{ check, standing: "problem", finding: error.message, advice }];
  }
}

function describe({ check, standing, finding, advice }: Finding): string {
  const line = `${standing.toUpperCase().padEnd(8)} ${check}: ${finding}`;
  return advice === undefined ? line : `${line}\n         → ${advice}`;
}
