import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeLanguageModels } from "../../../tests/kit/fake-language-models.js";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import { ServiceHarness, TEST_OPTIONS } from "../../../tests/kit/service-harness.js";
import { NO_LOG, STILL_HEALTH } from "../../../tests/kit/still-server.js";
import { FileCatalog } from "../../adapters/catalog/file-catalog.js";
import { EmbeddedBackend } from "../../adapters/embedded/embedded-backend.js";
import { PrometheusMetrics } from "../../adapters/metrics/prometheus-metrics.js";
import { Authority } from "../authority/authority.js";
import { createServices } from "../create-services.js";

const ADMIN = Authority.unrestricted();
const FIELDS = { id: { type: "text" }, title: { type: "text" }, at: { type: "datetime" } };
const ALL = { query: { exact: { ctx: "*" } } };

describe("while its indexes change", () => {
  let harness: ServiceHarness;
  beforeEach(async () => {
    harness = await ServiceHarness.open();
    for (const name of ["books", "films"]) {
      await harness.services.indexes.create({ index: { name, fields: FIELDS } }, ADMIN);
      await harness.services.documents.add(name, [{ id: name, title: "world" }]);
      await harness.services.documents.commit(name);
    }
    const members = [{ name: "books" }, { name: "films" }];
    await harness.services.federations.create({ name: "shop", index_configurations: members }, ADMIN);
  });
  afterEach(() => harness.close());

  const sources = async (): Promise<readonly string[]> => {
    const { hits } = await harness.services.federatedSearch.search("shop", ALL, ADMIN);
    return hits.map((hit) => hit.source_index);
  };

  test("a search whose index has just been replaced runs again on the new one", async () => {
    const films = harness.catalog.index("films")!;
    await harness.backend.createIndex("fresh", films.schema);
    harness.backend.failNext("search");
    harness.backend.gate = harness.catalog.putIndex({ ...films, storageId: "fresh" });
    expect(await sources()).toEqual(["books"]);
  });

  test("a search whose index has just been deleted runs again without it", async () => {
    harness.backend.failNext("search");
    harness.backend.gate = harness.catalog.deleteIndex("books");
    expect(await sources()).toEqual(["films"]);
  });

  test("a search that was let in is refused where the federation has got an index out of its scope since", async () => {
    const { services } = harness;
    const scoped = authorityFor(["books"]);
    const shown = async (authority: Authority): Promise<readonly string[]> => {
      const { hits } = await services.federatedSearch.search("mine", ALL, authority);
      return hits.map((hit) => hit.source_index);
    };
    const mine = (...members: readonly string[]): object => ({
      name: "mine",
      index_configurations: members.map((name) => ({ name })),
    });
    await services.federations.create(mine("books"), scoped);
    expect(await shown(scoped)).toEqual(["books"]);
    // Its next turn is on what the federation has become.
    harness.backend.failNext("search");
    const films = harness.catalog.index("films")!;
    harness.backend.gate = services.federations
      .create(mine("books", "films"), ADMIN)
      .then(() =>
        harness.catalog.putIndex({ ...harness.catalog.index("books")!, storageId: films.storageId }),
      );
    await expect(shown(scoped)).rejects.toMatchObject({ code: "index_not_allowed" });
    expect(await shown(ADMIN)).toHaveLength(2);
  });

  test("a search whose federation has just been deleted ends", async () => {
    harness.backend.failNext("search");
    harness.backend.gate = harness.catalog
      .deleteFederation("shop")
      .then(() => harness.catalog.deleteIndex("books"));
    await expect(sources()).rejects.toMatchObject({ code: "federation_not_found" });
  });

  test("a failure of storage that is still the index's own is the answer", async () => {
    harness.backend.failNext("search");
    await expect(sources()).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await sources()).toEqual(["books", "films"]);
  });

  test("the back end isn't asked where no index is left", async () => {
    harness.backend.failNext("search");
    const lacking = { query: { exact: { ctx: "nowhere:1" } } };
    expect((await harness.services.federatedSearch.search("shop", lacking, ADMIN)).count).toBe(0);
  });
});

test("scores decay from the time of the request, in one index and in a federation", async () => {
  const folder = await mkdtemp(join(tmpdir(), "findling-decay-"));
  const clock = new ManualClock();
  const backend = await EmbeddedBackend.open({ dataDirectory: folder, clock });
  const catalog = await FileCatalog.open(join(folder, "catalog"), { keyFile: join(folder, "secret.key") });
  const services = createServices(
    {
      catalog,
      backend,
      clock,
      logger: new RecordingLogger(),
      metrics: new PrometheusMetrics({ catalog, eventStore: null, version: "0.0.0" }),
      eventStore: null,
      languageModels: new FakeLanguageModels(),
      health: STILL_HEALTH,
      log: NO_LOG,
    },
    TEST_OPTIONS,
  );
  try {
    await services.start();
    const index = { name: "news", fields: FIELDS, time_decay_field: "at" };
    await services.indexes.create({ index }, ADMIN);
    await services.documents.add("news", [{ id: "1", title: "story", at: 0 }]);
    await services.documents.commit("news");
    await services.federations.create({ name: "press", index_configurations: [{ name: "news" }] }, ADMIN);
    const scores = async (): Promise<readonly (number | undefined)[]> => [
      (await services.search.search("news", ALL)).hits[0]?.score,
      (await services.federatedSearch.search("press", ALL, ADMIN)).hits[0]?.score,
    ];
    const day = 86_400_000;
    expect(await scores()).toEqual([1, 1]);
    await clock.advance(30 * day);
    for (const score of await scores()) expect(score).toBeCloseTo(Math.exp(-0.3), 6);
    await clock.advance(335 * day);
    for (const score of await scores()) expect(score).toBeCloseTo(Math.exp(-3.65), 6);
  } finally {
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

function authorityFor(allowedIndexes: readonly string[]): Authority {
  return Authority.ofKey({
    id: "scoped",
    name: "",
    permissions: 33,
    allowed_indexes: allowedIndexes,
    status: "active",
  });
}
