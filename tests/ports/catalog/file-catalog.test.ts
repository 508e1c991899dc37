/** The port's suite on the catalog of files. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileCatalog } from "../../../src/adapters/catalog/file-catalog.js";
import { filesBelow } from "../../kit/files-below.js";
import { catalogSuite } from "./catalog-suite.js";

catalogSuite("files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "findling-catalog-suite-"));
  const path = join(folder, "catalog");
  return {
    open: () => FileCatalog.open(path, { keyFile: join(folder, "secret.key") }),
    bytes: async () => Buffer.concat([...filesBelow(path).values()]),
    async breakWrites() {
      // Nothing can be written below a file, whoever runs the tests.
      await rename(path, `${path}-aside`);
      await writeFile(path, "");
      return async () => {
        await rm(path);
        await rename(`${path}-aside`, path);
      };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
});
