// The files of deploy/, as far as they can be tried without an image registry and a cluster: the image is built and run as a
// container, systemd, nginx, Caddy, Prometheus and docker-compose read their files, and Kubernetes' file is held against
// Kubernetes' own schemas. What isn't tried: Debian's image of Node, a container runtime, and a cluster that takes the file.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildImage, runContainer } from "./container-image.mjs";
import { captured, run } from "./debian-root.mjs";

const KUBERNETES_VALIDATE = "kubernetes-validate==1.37.0";

/**
 * @param base a root that others are made of
 * @param folder for files of this
 */
export async function deployFiles(base, folder) {
  const image = buildImage(base, folder);
  await runContainer(image, folder);
  const other = base.copyTo(join(folder, "other"));
  // The units that Findling's own refers to are systemd's.
  installPackages(other, ["systemd", "nginx-light", "caddy", "openssl", "docker-compose", "prometheus"]);
  checkUnit(other, image.folder);
  checkByPrograms(other);
  checkKubernetes(folder);
}

function checkUnit(base, image) {
  // Where the unit expects it.
  base.copy(join(image, "findling/bin"), "/opt/findling/bin");
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
