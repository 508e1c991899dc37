// Roots of Debian systems with nothing but Node, as a new machine or a container's base has it; what runs in one runs by
// chroot. For root, in a mount namespace of its own (`unshare --mount`), which takes the mounts away at the end.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";

const RELEASE = "bookworm";
/** Where the machine's own names and certificates are, so that npm reaches its registry from within as from outside. */
const OF_THE_NETWORK = ["/etc/resolv.conf", "/etc/hosts", process.env.NODE_EXTRA_CA_CERTS];
const OWN_SETTINGS = /^(?:FINDLING_|npm_(?:lifecycle|package|command|config_local_prefix|config_global))/i;

export class DebianRoot {
  constructor(folder) {
    this.folder = folder;
  }

  /** A new system below `parent`, with Node and npm as this machine has them. */
  static make(parent) {
    const folder = mkdtempSync(join(parent, "debian-"));
    // It is the new system's "/", which all its users go through.
    chmodSync(folder, 0o755);
    run("debootstrap", "--variant=minbase", "--include=ca-certificates", RELEASE, folder, mirror());
    const root = new DebianRoot(folder);
    root.#addNode();
    for (const path of OF_THE_NETWORK)
      if (path !== undefined && existsSync(path)) root.copy(realpathSync(path), path);
    root.#mount();
    return root;
  }

  /** Another root with the same files, of which only what is changed there takes room. This one must stay as it is. */
  copyTo(folder) {
    const [upper, work] = [`${folder}.changed`, `${folder}.work`];
    for (const path of [folder, upper, work]) mkdirSync(path);
    const layers = `lowerdir=${this.folder},upperdir=${upper},workdir=${work}`;
    run("mount", "-t", "overlay", "overlay", "-o", layers, folder);
    const root = new DebianRoot(folder);
    root.#mount();
    return root;
  }

  path(inside) {
    return join(this.folder, inside);
  }

  copy(from, inside) {
    mkdirSync(dirname(this.path(inside)), { recursive: true });
    cpSync(from, this.path(inside), { recursive: true, force: true });
  }

  /** @returns what the command said @throws Error if it fails */
  run(command, options = {}) {
    const { status, stdout, stderr } = spawnSync("chroot", this.#arguments(command, options), {
      env: environment(options),
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status !== 0) throw new Error(`${command.join(" ")}\n${stdout}${stderr}`);
    return { stdout, stderr };
  }

  /** The process that the command becomes: chroot doesn't stay between. */
  start(command, options = {}) {
    return spawn("chroot", this.#arguments(command, options), {
      env: environment(options),
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  #arguments(command, { user }) {
    return [...(user === undefined ? [] : [`--userspec=${user}`]), this.folder, ...command];
  }

  #addNode() {
    const node = realpathSync(process.execPath);
    const npm = join(captured("npm", "root", "--global"), "npm");
    this.copy(node, "/usr/bin/node");
    this.copy(npm, "/usr/lib/node_modules/npm");
    for (const name of ["npm", "npx"])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, this.path(`/usr/bin/${name}`));
  }

  #mount() {
    run("mount", "-t", "proc", "proc", this.path("/proc"));
  }
}

/** Ends what `start` has begun, as an orderly stop does. @returns its exit code */
export async function stop(child) {
  child.kill("SIGTERM");
  const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
  return code;
}

/** Polls until the server answers there with success. @throws Error after two minutes, or once it has ended */
export async function untilReady(url, server) {
  const until = performance.now() + 120_000;
  while (performance.now() < until) {
    if (server.exitCode !== null || server.signalCode !== null) throw new Error("the server ended at once");
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${url} didn't answer within two minutes`);
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** @throws Error with what the program said if it fails */
export function run(program, ...parameters) {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, { encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${parameters.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

export function captured(program, ...parameters) {
  return run(program, ...parameters).trim();
}

/** Nothing that a folder's removal must not reach may be mounted there any more. */
export function unmountBelow(folder) {
  const targets = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1]);
  for (const target of targets.reverse()) if (target?.startsWith(folder)) run("umount", "--lazy", target);
}

/** Where this machine has its own packages from. */
function mirror() {
  const targets = captured("apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(REPO_URI)");
  const line = targets.split("\n").find((target) => target.startsWith(`${RELEASE} main `));
  if (line === undefined) throw new Error(`this machine has no packages of Debian's ${RELEASE}`);
  return line.split(" ")[2];
}

function environment({ env = {}, home = "/root" }) {
  const own = Object.entries(process.env).filter(([name]) => !OWN_SETTINGS.test(name));
  return {
    ...Object.fromEntries(own),
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    HOME: home,
    ...env,
  };
}
