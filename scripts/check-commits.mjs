// Subjects of commits are read in lists: at most 72 characters, the why in the body. Holds for commits after BASE.
import { spawnSync } from "node:child_process";

const CHARACTERS_MAX = 72;
const BASE = "c84ed5bc8c6df47b5c9c15b80e28705ec533af97";
/** When BASE was committed, by which a shallow clone without it tells what came later. */
const BASE_SECONDS = 1_795_700_187;

const log = git("log", "--format=%H %ct %s", isThere(BASE) ? `${BASE}..HEAD` : "HEAD");
if (log === null) {
  process.stdout.write("skipped: subjects of commits, as there is no history here\n");
} else {
  const commits = log.split("\n").filter(Boolean).map(parsed);
  const long = commits.filter(
    (one) => one.seconds > BASE_SECONDS && [...one.subject].length > CHARACTERS_MAX,
  );
  for (const { hash, subject } of long)
    process.stdout.write(
      `${hash.slice(0, 8)}: a subject of ${[...subject].length} characters, ${CHARACTERS_MAX} at most: ${subject}\n`,
    );
  if (long.length > 0) process.exitCode = 1;
}

function parsed(line) {
  const [hash, seconds, ...words] = line.split(" ");
  return { hash, seconds: Number(seconds), subject: words.join(" ") };
}

function isThere(commit) {
  return git("cat-file", "-e", `${commit}^{commit}`) !== null;
}

/** @returns what git prints, or null if it fails */
function git(...parameters) {
  const { status, stdout } = spawnSync("git", parameters, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : null;
}
