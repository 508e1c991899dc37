import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import { Authority } from "../authority/authority.js";
import type { FederationService } from "./federation-service.js";

const ADMIN = Authority.unrestricted();
const BODY = { name: "shop", index_configurations: [{ name: "books" }] };

let harness: ServiceHarness;
let federations: FederationService;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  federations = harness.services.federations;
  await harness.services.indexes.create({ index: { name: "books", fields: { t: { type: "text" } } } }, ADMIN);
});
afterEach(() => harness.close());

describe("FederationService", () => {
  test("says to the microsecond when a federation was made and last changed", async () => {
    expect(await federations.create(BODY, ADMIN)).toMatchObject({
      created_at: "1970-01-01T00:00:00.000000Z",
      last_modified: "1970-01-01T00:00:00.000000Z",
    });
    await harness.clock.advance(1_500);
    for (const changed of [
      await federations.create(BODY, ADMIN),
      await federations.replace("shop", BODY, ADMIN),
    ]) {
      expect(changed).toMatchObject({
        created_at: "1970-01-01T00:00:00.000000Z",
        last_modified: "1970-01-01T00:00:01.500000Z",
      });
    }
    await federations.delete("shop", ADMIN);
    expect((await federations.create(BODY, ADMIN)).created_at).toBe("1970-01-01T00:00:01.500000Z");
  });

  test("takes overlapping changes in turn: one that comes after a delete finds nothing", async () => {
    await federations.create(BODY, ADMIN);
    const outcomes = await Promise.allSettled([
      federations.delete("shop", ADMIN),
      federations.replace("shop", BODY, ADMIN),
      federations.create(BODY, ADMIN),
      federations.delete("shop", ADMIN),
      federations.delete("shop", ADMIN),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    expect(federations.list(ADMIN)).toEqual([]);
  });

  test("holds a change against the federation as it is in its turn, not as it was when it was asked for", async () => {
    await harness.services.indexes.create(
      { index: { name: "films", fields: { t: { type: "text" } } } },
      ADMIN,
    );
    const scoped = Authority.ofKey({
      id: "scoped",
      name: "",
      permissions: 32,
      allowed_indexes: ["books"],
      status: "active",
    });
    await federations.create(BODY, scoped);
    const both = { name: "shop", index_configurations: [{ name: "books" }, { name: "films" }] };
    const outcomes = await Promise.allSettled([
      federations.replace("shop", both, ADMIN),
      federations.replace("shop", BODY, scoped),
      federations.create(BODY, scoped),
      federations.delete("shop", scoped),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    expect(federations.list(ADMIN)).toMatchObject([both]);
    expect(federations.list(scoped)).toEqual([]);
  });

  test("keeps what was there where a change can't be saved", async () => {
    const before = await federations.create(BODY, ADMIN);
    await harness.catalog.close();
    await expect(federations.create({ ...BODY, friendly_name: "new" }, ADMIN)).rejects.toMatchObject({
      code: "shutting_down",
    });
    await expect(federations.delete("shop", ADMIN)).rejects.toMatchObject({ code: "shutting_down" });
    expect(federations.list(ADMIN)).toEqual([before]);
    await harness.restart();
    expect(harness.services.federations.list(ADMIN)).toEqual([before]);
  });

  test("says that a federation of nothing isn't one", async () => {
    await expect(federations.create({ ...BODY, index_configurations: [] }, ADMIN)).rejects.toMatchObject({
      code: "invalid_federation",
      message: "'index_configurations' must hold at least one entry",
    });
  });

  test("suggests the index that may have been meant", async () => {
    const wrong = { ...BODY, index_configurations: [{ name: "book" }] };
    await expect(federations.create(wrong, ADMIN)).rejects.toMatchObject({
      code: "invalid_federation",
      message: "'index_configurations[0].name': index 'book' does not exist, did you mean 'books'?",
    });
  });

  test("counts an index 0 that goes while it is counted", async () => {
    await federations.create(BODY, ADMIN);
    const { stats } = harness.backend;
    harness.backend.stats = async () => {
      await harness.catalog.deleteIndex("books");
      throw new Error("the storage is gone");
    };
    expect((await federations.stats("shop", ADMIN)).indices).toEqual([
      { index_name: "books", num_docs: 0, space_usage: 0 },
    ]);
    harness.backend.stats = stats;
  });
});
