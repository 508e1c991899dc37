// The container: buildah builds it by deploy/Dockerfile itself, with a Debian root with Node standing in for the base image,
// and it runs as a container does: as process 1 of its own namespaces, as its user, with its own environment, entry point and
// command, on a read-only file system with room in its volumes and /tmp only, until its health check succeeds.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { captured, run, stop } from "./debian-root.mjs";

/** Full, so that it is looked up nowhere. */
const BASE_IMAGE = "docker.io/library/node:20-bookworm-slim";

/**
 * Builds the image from what git has of this checkout.
 *
 * @param base a root to stand in for the base image
 * @param folder for the image and all it takes to build it
 * @returns the image's root, and what it says of how to run it
 */
export function buildImage(base, folder) {
  const storage = ["--root", join(folder, "images"), "--runroot", join(folder, "images-run")];
  const buildah = (...parameters) =>
    captured("buildah", ...storage, "--storage-driver", "overlay", ...parameters);
  makeBaseImage(base, buildah);
  const context = mkdtempSync(join(folder, "context-"));
  run("bash", "-c", `git ls-files -z | tar --null --files-from=- --create | tar -x -C '${context}'`);
  // The format that keeps health checks.
  const how = ["--isolation", "chroot", "--pull-never", "--layers=false", "--format", "docker"];
  buildah("bud", ...how, "--file", join(context, "deploy/Dockerfile"), "--tag", "findling", context);
  const { config } = JSON.parse(buildah("inspect", "--type", "image", "findling")).Docker;
  return { config, folder: buildah("mount", buildah("from", "--pull-never", "findling")) };
}

/** What the image of that name has besides Debian and Node: a user `node`. */
function makeBaseImage(base, buildah) {
  const container = buildah("from", "--pull-never", "scratch");
  const folder = buildah("mount", container);
  run("cp", "--archive", "--one-file-system", `${base.folder}/.`, folder);
  run("chroot", folder, "useradd", "--uid", "1000", "--create-home", "node");
  buildah("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", container);
  // npm reaches its registry as it does outside.
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates !== undefined)
    buildah("config", "--env", `NODE_EXTRA_CA_CERTS=${certificates}`, container);
  buildah("umount", container);
  buildah("commit", "--quiet", "--rm", container, BASE_IMAGE);
}

/**
 * Runs the image until its health check succeeds and `findling` answers within, and stops it.
 *
 * @throws Error if it isn't well within two minutes, or doesn't end in good order
 */
export async function runContainer({ config, folder }, scratch) {
  const rootFolder = join(scratch, "container");
  mkdirSync(rootFolder);
  run("mount", "--bind", folder, rootFolder);
  for (const writable of [...Object.keys(config.Volumes), "/tmp"]) {
    // A new volume has what the image has there, and its owner.
    const volume = join(mkdtempSync(join(scratch, "volume-")), "volume");
    run("cp", "--archive", join(folder, writable), volume);
    run("mount", "--bind", volume, join(rootFolder, writable));
  }
  run("mount", "--rbind", "/dev", join(rootFolder, "dev"));
  run("mount", "-o", "remount,ro,bind", rootFolder);
  const command = [...config.Entrypoint, ...config.Cmd];
  const inside = ["sh", "-c", 'cd "$0" && exec "$@"', config.WorkingDir, ...command];
  const asUser = [
    "chroot",
    `--userspec=${config.User}:${config.User}`,
    rootFolder,
    "env",
    "-i",
    ...config.Env,
  ];
  // The kernel's own views are those of the container's processes, and its network has nothing but itself.
  const setUp = 'ip link set lo up && mount -t proc proc "$0/proc" && exec "$@"';
  const container = spawn(
    "unshare",
    [
      "--mount",
      "--net",
      "--pid",
      "--fork",
      "--kill-child",
      "sh",
      "-c",
      setUp,
      rootFolder,
      ...asUser,
      ...inside,
    ],
    { stdio: "inherit" },
  );
  try {
    const first = await firstProcess(container);
    const execute = (...words) => run("nsenter", ...entering(first), "env", "-i", ...config.Env, ...words);
    await untilHealthy(config.Healthcheck, execute, container);
    const key = execute("findling", "keys", "show", "admin", "--data-dir", "/data").trim();
    if (key === "") throw new Error("the container has no admin key");
    process.kill(first, "SIGTERM");
    const code = await stop(container);
    if (code !== 0) throw new Error(`the container's server ended with ${code}`);
  } finally {
    container.kill("SIGKILL");
  }
}

/** The process that is 1 within. */
async function firstProcess(container) {
  const children = `/proc/${container.pid}/task/${container.pid}/children`;
  for (;;) {
    if (container.exitCode !== null) throw new Error("the container ended at once");
    const [first] = readFileSync(children, "utf8").split(" ").filter(Boolean);
    if (first !== undefined) return Number(first);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** As a process of the container beside its first one, as its user. */
function entering(first) {
  const status = readFileSync(`/proc/${first}/status`, "utf8");
  const [uid, gid] = ["Uid", "Gid"].map((name) => new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)[1]);
  if (uid === "0") throw new Error("the container's server runs as root");
  const namespaces = ["--mount", "--net", "--pid", "--root", "--wd"];
  return [`--target=${first}`, ...namespaces, `--setuid=${uid}`, `--setgid=${gid}`];
}

/** As a container's runtime finds out. */
async function untilHealthy({ Test: [kind, ...check] }, execute, container) {
  if (kind !== "CMD") throw new Error(`a health check by ${kind} isn't known here`);
  const until = performance.now() + 120_000;
  for (;;) {
    try {
      execute(...check);
      return;
    } catch (error) {
      if (container.exitCode !== null) throw new Error("the container ended before it was well");
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
