// The files of deploy/, as far as they can be tried without an image registry and a cluster: the Dockerfile's own steps are
// carried out in Debian roots, and its health check and entry point run there on a read-only file system; systemd, nginx,
// Caddy, Prometheus and docker-compose read theirs, and Kubernetes' file is held against Kubernetes' own schemas. What isn't
// tried: building and running images, for want of a registry, and a cluster that takes the file.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { captured, freePort, run, stop, untilReady } from "./debian-root.mjs";

const BASE_IMAGE = "node:20-bookworm-slim";
const KUBERNETES_VALIDATE = "kubernetes-validate==1.37.0";

/**
 * @param base a root that others are made of
 * @param folder for files of this
 */
export async function deployFiles(base, folder) {
  const stages = dockerfileStages(readFileSync("deploy/Dockerfile", "utf8"));
  const built = new Map();
  for (const stage of stages) built.set(stage.name, carryOut(stage, base, built, folder));
  const image = built.get(stages.at(-1).name);
  await runContainer(image, folder);
  const other = base.copyTo(join(folder, "other"));
  // The units that Findling's own refers to are systemd's.
  installPackages(other, ["systemd", "nginx-light", "caddy", "openssl", "docker-compose", "prometheus"]);
  checkUnit(other, image.root);
  checkByPrograms(other);
  checkKubernetes(folder);
}

/** @returns each stage with its name, the image or stage it is from, and its instructions */
function dockerfileStages(text) {
  const stages = [];
  const lines = text.replaceAll(/\\\n\s*/g, "").split("\n");
  for (const line of lines.filter((one) => one !== "" && !one.startsWith("#"))) {
    const [, word, rest] = /^([A-Z]+) (.*)$/.exec(line);
    if (word !== "FROM") {
      stages.at(-1).instructions.push([word, rest]);
      continue;
    }
    const [from, , name] = rest.split(" ");
    if (from !== BASE_IMAGE) throw new Error(`${from} is no image that this can stand in for`);
    stages.push({ name: name ?? "", instructions: [] });
  }
  return stages;
}

/** Carries out what a builder would. @returns the root, and what the image says of running it */
function carryOut({ name, instructions }, base, built, folder) {
  const root = base.copyTo(join(folder, `stage-${name}`));
  // The image has a user of that name.
  root.run(["useradd", "--uid", "1000", "--create-home", "node"]);
  const image = { root, env: {}, folder: "/", user: undefined };
  for (const [word, rest] of instructions) {
    if (word === "WORKDIR") {
      image.folder = rest;
      mkdirSync(root.path(rest), { recursive: true });
    } else if (word === "ENV") {
      for (const [, key, value] of rest.matchAll(/(\S+?)=(\S+)/g)) image.env[key] = value;
    } else if (word === "COPY") copy(rest, image, built, folder);
    else if (word === "RUN")
      root.run(["/bin/sh", "-c", `cd ${image.folder} && ${rest}`], { user: image.user, env: image.env });
    else if (word === "USER") image.user = `${rest}:${rest}`;
    else image[word] = rest;
  }
  return image;
}

function copy(rest, image, built, folder) {
  const parts = rest.split(" ");
  const from = parts[0].startsWith("--from=") ? parts.shift().slice("--from=".length) : undefined;
  const target = parts.pop();
  if (from === undefined) {
    if (parts.join() !== "." || target !== ".") throw new Error(`COPY ${rest} isn't known here`);
    const context = mkdtempSync(join(folder, "context-"));
    run("bash", "-c", `git ls-files -z | tar --null --files-from=- --create | tar -x -C '${context}'`);
    for (const pattern of readFileSync(".dockerignore", "utf8").split("\n").filter(Boolean))
      rmSync(join(context, pattern), { recursive: true, force: true });
    cpSync(context, image.root.path(image.folder), { recursive: true });
    return;
  }
  for (const source of parts) {
    const inside = target.endsWith("/") ? join(target, source.split("/").at(-1)) : target;
    const path = image.root.path(join(image.folder, inside));
    mkdirSync(dirname(path), { recursive: true });
    run("cp", "--archive", built.get(from).root.path(source), path);
  }
}

/** The image's entry point and command as its user, on a read-only file system with room at /data and /tmp only. */
async function runContainer(image, folder) {
  const { root, env, user, ENTRYPOINT, CMD, HEALTHCHECK } = image;
  run("mount", "--rbind", root.folder, root.folder);
  for (const writable of ["/data", "/tmp"]) {
    const outside = mkdtempSync(join(folder, "volume-"));
    run("chown", "1000:1000", outside);
    run("mount", "--bind", outside, root.path(writable));
  }
  run("mount", "-o", "remount,ro,bind", root.folder);
  const port = await freePort();
  const all = { ...env, FINDLING_PORT: String(port), FINDLING_HOST: "127.0.0.1" };
  const command = [...JSON.parse(ENTRYPOINT), ...JSON.parse(CMD)];
  const inFolder = ["/bin/sh", "-c", `cd ${image.folder} && exec "$@"`, "sh", ...command];
  const server = root.start(inFolder, { user, env: all, home: "/home/node" });
  try {
    server.stdout.resume();
    await untilReady(`http://127.0.0.1:${port}/livez`, server);
    const check = JSON.parse(/CMD (\[.*\])$/.exec(HEALTHCHECK)[1]).map((part) =>
      part.replace(":8000/", `:${port}/`),
    );
    root.run(check, { user, env: all });
    root.run(["findling", "keys", "show", "admin", "--data-dir", "/data"], { user, env: all });
    const code = await stop(server);
    if (code !== 0) throw new Error(`the container's server ended with ${code}`);
  } finally {
    server.kill("SIGKILL");
  }
}

function checkUnit(base, image) {
  // Where the unit expects it.
  base.copy(image.path("/findling/bin"), "/opt/findling/bin");
  base.copy("deploy/findling.service", "/etc/systemd/system/findling.service");
  const said = captured(
    "bash",
    "-c",
    `systemd-analyze verify --root='${base.folder}' findling.service 2>&1 || true`,
  );
  const own = said.split("\n").filter((line) => line.includes("findling"));
  if (own.length > 0) throw new Error(own.join("\n"));
}

/** What other programs read is read by them: the proxies' files, the compose file, and what the manual has for Prometheus. */
function checkByPrograms(base) {
  const certificates = "/etc/letsencrypt/live/search.example";
  base.run(["mkdir", "-p", certificates]);
  const names = ["-keyout", `${certificates}/privkey.pem`, "-out", `${certificates}/fullchain.pem`];
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=search.example"];
  base.run(["openssl", "req", ...kind, ...names]);
  base.run(["rm", "-f", "/etc/nginx/sites-enabled/default"]);
  base.copy("deploy/nginx.conf", "/etc/nginx/conf.d/findling.conf");
  base.run(["nginx", "-t"]);
  base.copy("deploy/Caddyfile", "/etc/caddy/Caddyfile");
  base.run(["caddy", "validate", "--config", "/etc/caddy/Caddyfile"]);

  base.copy("deploy", "/opt/findling/deploy");
  base.run(["docker-compose", "--file", "/opt/findling/deploy/compose.yaml", "config", "--quiet"]);

  const [scraping, alerts] = [
    ...readFileSync("docs/monitoring.md", "utf8").matchAll(/^```yaml\n([\s\S]*?)^```$/gm),
  ];
  writeFileSync(base.path("/etc/prometheus/findling.yml"), scraping[1]);
  writeFileSync(base.path("/etc/prometheus/findling-alerts.yml"), alerts[1]);
  writeFileSync(base.path("/etc/prometheus/findling.key"), "key");
  base.run(["promtool", "check", "config", "/etc/prometheus/findling.yml"]);
  base.run(["promtool", "check", "rules", "/etc/prometheus/findling-alerts.yml"]);
}

function installPackages(base, names) {
  // Nothing that is installed is to be started: it would be on this machine's own ports.
  writeFileSync(base.path("/usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  const install = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${names.join(" ")}`;
  base.run(["/bin/sh", "-c", install], { env: { DEBIAN_FRONTEND: "noninteractive" } });
}

/** By a package of Python's that brings the schemas of the API servers along. */
function checkKubernetes(folder) {
  const environment = join(folder, "python");
  run("python3", "-m", "venv", environment);
  run(join(environment, "bin/pip"), "install", "--quiet", KUBERNETES_VALIDATE);
  run(join(environment, "bin/kubernetes-validate"), "--strict", "deploy/kubernetes.yaml");
}
