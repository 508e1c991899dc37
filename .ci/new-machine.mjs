// The package and the files of deploy/ on new machines: `unshare --mount node .ci/new-machine.mjs`, as root on Debian with
// debootstrap, buildah, iproute2, Chromium, systemd-analyze and python3-venv, once everything is built.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DebianRoot, run, unmountBelow } from "./debian-root.mjs";
import { deployFiles } from "./deploy-files.mjs";
import { newUser } from "./new-user.mjs";

const folder = mkdtempSync(join(tmpdir(), "findling-new-machine-"));
try {
  // Tens of thousands of files that nobody needs afterwards: in memory they are written and gone at once.
  run("mount", "-t", "tmpfs", "-o", "mode=0755", "findling", folder);
  const base = rootOrNull(folder);
  if (base !== null) await tryAll(base);
} finally {
  unmountBelow(folder);
  rmSync(folder, { recursive: true, force: true });
}

async function tryAll(base) {
  const times = await newUser(base.copyTo(join(folder, "user")), folder);
  process.stdout.write(`a new user:\n  ${times.join("\n  ")}\n`);
  await deployFiles(base, folder);
  process.stdout.write("the files of deploy/ are in order\n");
}

/** A machine without a mirror of Debian's says nothing about the package. */
function rootOrNull(parent) {
  try {
    return DebianRoot.make(parent);
  } catch (error) {
    process.stdout.write(`NOT TRIED: no Debian root can be made here: ${error.message}\n`);
    return null;
  }
}
