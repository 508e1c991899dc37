// Contract 3.5, 4.1 auto_commit_delay: transactions.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectPlainSuccess } from "./expect-error.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let name = "";
let count = 0;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());
beforeEach(async () => {
  name = `transactions-${++count}`;
  await server.createIndex(name);
});

const add = (...ids: string[]) =>
  server.post(
    `/index/${name}/documents`,
    ids.map((id) => ({ id })),
  );
const commit = () => server.post(`/index/${name}/commit`);
const rollback = () => server.post(`/index/${name}/rollback`);
const visible = async () => (await server.idsOf(name, "*")).toSorted();

describe("commit and rollback", () => {
  test("writes are pending until commit: search, GET and stats do not see them", async () => {
    const { ids } = (await add("1")).json.data;
    expect(await visible()).toEqual([]);
    expect((await server.get(`/index/${name}/stats`)).json.data.document_count).toBe(0);
    expect((await server.get(`/index/${name}/documents/${ids[0]}`)).status).toBe(404);
    expectPlainSuccess(await commit(), "commit complete");
    expect(await visible()).toEqual(["1"]);
    expect((await server.get(`/index/${name}/stats`)).json.data.document_count).toBe(1);
  });

  test("rollback drops all pending writes since the last commit, deletes included", async () => {
    await server.addCommitted(name, [{ id: "1" }]);
    await add("2");
    await server.delete(`/index/${name}/documents`, { id: "1" });
    expectPlainSuccess(await rollback(), "rollback complete");
    await commit();
    expect(await visible()).toEqual(["1"]);
  });

  test("with nothing pending the answers are the same", async () => {
    expectPlainSuccess(await commit(), "commit complete");
    expectPlainSuccess(await rollback(), "rollback complete");
  });

  test("a commit applies the pending writes of all writers", async () => {
    await Promise.all([add("1"), add("2", "3"), add("4")]);
    await commit();
    expect(await visible()).toEqual(["1", "2", "3", "4"]);
  });

  test("settings are not part of transactions", async () => {
    await server.patch(`/index/${name}`, { auto_commit_delay: 60 });
    await rollback();
    expect((await server.get(`/index/${name}`)).json.data.auto_commit_delay).toBe(60);
  });

  test("after a restart, pending writes are pending again", async () => {
    await server.addCommitted(name, [{ id: "1" }]);
    await add("2");
    await server.delete(`/index/${name}/documents`, { id: "1" });
    const { folder } = server;
    await server.stop();
    server = await WireServer.start({}, { folder });
    expect(await visible()).toEqual(["1"]);
    await commit();
    expect(await visible()).toEqual(["2"]);
  });
});

describe("auto commit", () => {
  test("a delay above 0 up to 1 commits before the write is answered", async () => {
    for (const delay of [0.001, 0.5, 1]) {
      await server.patch(`/index/${name}`, { auto_commit_delay: delay });
      await add(`at-${delay}`);
      expect(await visible()).toContain(`at-${delay}`);
    }
    await server.delete(`/index/${name}/documents/all`);
    expect(await visible()).toEqual([]);
  });

  test("a delay above 1 commits that long after the last write", async () => {
    await server.patch(`/index/${name}`, { auto_commit_delay: 1.01 });
    const before = performance.now();
    await add("1");
    const early = await visible();
    // On a busy machine the time may be up by then.
    if (performance.now() - before < 1010) expect(early).toEqual([]);
    await expect.poll(visible, { interval: 50 }).toEqual(["1"]);
  });

  test("a delay of 0 never does by itself", async () => {
    await add("1");
    await server.patch(`/index/${name}`, { auto_commit_delay: 0 });
    expect(await visible()).toEqual([]);
  });
});
