/**
 * Properties: `findling doctor` before a cluster names each damaged thing in it, where it lies and what to do, with the exit
 * status of damage, also while servers run, and changes nothing; `findling check` says what to run instead.
 */
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resultOf, spawnCli, temporaryFolder } from "../cli/cli-harness.js";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../kit/opensearch-node.js";
import { ADMIN, WireServer } from "../wire/wire-server.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "before OpenSearch" : `skipped: ${hindrance}`;
const SECRET_KEY = "c0ffee00".repeat(8);

interface Finding {
  readonly check: string;
  readonly standing: string;
  readonly finding: string;
  readonly advice?: string;
}

describe.skipIf(hindrance !== undefined)(title, () => {
  let prefix: string;
  let server: WireServer;
  let node: OpenSearchNode;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  const environment = (): Record<string, string> => ({
    FINDLING_BACKEND: "opensearch",
    FINDLING_OPENSEARCH_URL: node.urls.join(),
    FINDLING_OPENSEARCH_PREFIX: prefix,
    FINDLING_SECRET_KEY: SECRET_KEY,
    FINDLING_DATA_DIR: folder.path,
    FINDLING_PORT: "0",
  });
  const doctor = async (
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly code: number | null; readonly bad: readonly Finding[]; readonly all: string }> => {
    const done = await resultOf(spawnCli(["doctor", "--json"], { env: { ...environment(), ...more } }));
    expect(done.stdout, done.stderr).not.toBe("");
    const { findings } = JSON.parse(done.stdout) as { readonly findings: readonly Finding[] };
    const bad = findings.filter(({ standing }) => standing === "damage" || standing === "problem");
    return { code: done.code, bad, all: done.stdout };
  };
  const place = (index: string, id: string) =>
    `${node.urls[0]}/${prefix}-${index}/_doc/${encodeURIComponent(id)}`;
  const stored = async (index: string, id: string) =>
    ((await (await fetch(place(index, id))).json()) as { readonly _source: { readonly content: string } })
      ._source;
  const store = async (index: string, id: string, source: object): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(source);
    const answer = await fetch(`${place(index, id)}?refresh=true`, { method: "PUT", headers, body });
    expect(answer.ok, await answer.text()).toBe(true);
  };
  const storageOf = async (name: string): Promise<string> => {
    const { content } = await stored("catalog", `index:${name}`);
    return /"storageId":"([^"]+)"/.exec(content)![1]!;
  };
  /** What the cluster holds of the catalog and the states, with versions. */
  const everything = async (): Promise<unknown> => {
    const indices = `${node.urls[0]}/${prefix}-catalog,${prefix}-states`;
    await fetch(`${indices}/_refresh`, { method: "POST" });
    const search = `${indices}/_search?size=100&version=true&sort=_id`;
    return ((await (await fetch(search)).json()) as { readonly hits: unknown }).hits;
  };
  /** What it holds once the server has let go of its turn, which it does a little after a write. */
  const everythingSettled = async (): Promise<unknown> => {
    let last: unknown;
    const isAsBefore = async (): Promise<boolean> => {
      const before = last;
      last = await everything();
      return isDeepStrictEqual(last, before);
    };
    await expect.poll(isAsBefore, { interval: 1_000 }).toBe(true);
    return last;
  };

  beforeAll(async () => {
    node = await startOpenSearch();
    prefix = `doctor-${process.pid}`;
    folder = await temporaryFolder();
    server = await WireServer.start({
      backend: "opensearch",
      opensearchUrl: node.urls,
      opensearchPrefix: prefix,
      opensearchReplicas: 0,
      secretKey: SECRET_KEY,
    });
    for (const name of ["books", "films"]) {
      await server.createIndex(name);
      await server.addCommitted(name, [{ id: "1", title: "tale" }]);
    }
    const federation = { name: "all", index_configurations: [{ name: "books" }, { name: "films" }] };
    expect((await server.post("/federation", federation)).status).toBe(200);
    expect((await server.send("PUT", "/alias/movies", { key: ADMIN, body: { index: "films" } })).status).toBe(
      200,
    );
    await server.post("/auth/key", { name: "k", permissions: 63, allowed_indexes: ["*"] });
  });

  afterAll(async () => {
    await server?.stopAndRemove();
    if (node !== undefined) await fetch(`${node.urls[0]}/${prefix}-*`, { method: "DELETE" });
    node?.stop();
    await folder?.remove();
  });

  test("a sound cluster is well, and stays as it is", async () => {
    const before = await everythingSettled();
    expect(await doctor()).toMatchObject({ code: 0, bad: [] });
    const { all } = await doctor();
    expect(all).toContain("the catalog names 2 indexes");
    expect(all).not.toContain("no server has stored anything");
    expect(await everything()).toEqual(before);
  });

  test("a prefix under which nothing is stored stays empty", async () => {
    const done = await doctor({ FINDLING_OPENSEARCH_PREFIX: `${prefix}none` });
    expect(done).toMatchObject({ code: 0, bad: [] });
    expect(done.all).toContain("no server has stored anything under the prefix yet");
    expect((await fetch(`${node.urls[0]}/${prefix}none-catalog`)).status).toBe(404);
  });

  test.each([
    ["index:books", "index 'books'"],
    ["federation:all", "federation 'all'"],
    ["aliases:all", "aliases"],
    ["keys:all", "access keys"],
  ])("a damaged entry is named: %s", async (id, holder) => {
    const before = await stored("catalog", id);
    await store("catalog", id, { ...before, content: before.content.slice(0, 60) });
    const damaged = await everythingSettled();
    const { code, bad } = await doctor();
    expect(await everything()).toEqual(damaged);
    await store("catalog", id, before);
    expect(code).toBe(6);
    const [entry, ...others] = bad;
    expect(entry).toMatchObject({ check: "catalog", standing: "damage" });
    expect(entry!.finding).toContain(`${holder}: file '${prefix}-catalog/_doc/${id}' is damaged`);
    expect(entry!.advice).toContain("from a snapshot");
    // whose data is left, by the name that its state has
    expect(others.map(({ check }) => check)).toEqual(id === "index:books" ? ["set aside"] : []);
    if (id === "index:books") expect(others[0]!.finding).toContain("holds index 'books'");
    expect(await doctor()).toMatchObject({ code: 0, bad: [] });
  });

  test("an entry of a newer version is no damage, but a problem", async () => {
    const before = await stored("catalog", "aliases:all");
    const { createHash } = await import("node:crypto");
    const [line = "", rest] = before.content.split("\n");
    const open = line.replace('"format":1', '"format":9').replace(/,"head":.*$/, "");
    const head = createHash("sha256").update(open).digest("hex").slice(0, 16);
    await store("catalog", "aliases:all", { ...before, content: `${open},"head":"${head}"}\n${rest}\n` });
    const { code, bad } = await doctor();
    await store("catalog", "aliases:all", before);
    expect(code).toBe(1);
    expect(bad).toMatchObject([{ check: "catalog", standing: "problem" }]);
  });

  test("a damaged state, a lost one and a lost index are named", async () => {
    const storage = await storageOf("films");
    const before = await stored("states", storage);
    await store("states", storage, { content: "{}" });
    const damaged = await doctor();
    await fetch(`${place("states", storage)}?refresh=true`, { method: "DELETE" });
    const gone = await doctor();
    await store("states", storage, before);
    const at = `${prefix}-states/_doc/${storage}`;
    expect(damaged).toMatchObject({ code: 6, bad: [{ check: "index", standing: "damage" }] });
    expect(damaged.bad[0]!.finding).toContain(`index 'films': file '${at}' is damaged`);
    expect(gone).toMatchObject({ code: 6, bad: [{ check: "index", standing: "damage" }] });
    expect(gone.bad[0]!.finding).toBe(`index 'films': its state, '${at}', is gone`);
    await fetch(`${node.urls[0]}/${prefix}-w-${storage.toLowerCase()}`, { method: "DELETE" });
    const words = await doctor();
    expect(words).toMatchObject({ code: 6, bad: [{ check: "index", standing: "damage" }] });
    expect(words.bad[0]!.finding).toContain(`'${prefix}-w-${storage.toLowerCase()}' is gone`);
  });

  test("another secret key, and a cluster that isn't there, are problems", async () => {
    const another = await doctor({ FINDLING_SECRET_KEY: "beef".repeat(16) });
    expect(another.code).toBe(6); // films' words are gone still
    expect(another.bad.map(({ check, standing }) => `${check} ${standing}`)).toContain("secret key problem");
    const nowhere = await doctor({ FINDLING_OPENSEARCH_URL: "http://127.0.0.1:9" });
    expect(nowhere.code).toBe(1);
    expect(nowhere.bad.map(({ check }) => check)).toEqual(["OpenSearch", "cluster"]);
  });

  test("a running server's address is no problem", async () => {
    const { port } = new URL(server.running.url);
    const { bad, all } = await doctor({ FINDLING_PORT: port });
    expect(bad.map(({ check }) => check)).not.toContain("address");
    expect(all).toContain("a server answers at");
  });

  test("check says what reads a cluster", async () => {
    const done = await resultOf(spawnCli(["check"], { env: environment() }));
    expect(done.code).toBe(2);
    expect(done.stderr).toContain("'findling doctor'");
    const ofFolder = await resultOf(spawnCli(["check", folder.path], { env: environment() }));
    expect(ofFolder.stderr).not.toContain("OpenSearch");
  });
});
