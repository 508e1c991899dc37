#!/usr/bin/env node
// Committed and executable, so that npx and npm link find it before and after a build.
import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);

if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write("findling: this checkout is not built yet; run 'npm run build' in its folder\n");
  process.exitCode = 1;
}
