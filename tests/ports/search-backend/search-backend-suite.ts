/**
 * What every back end must do. Nothing in it knows where documents are: indexes have names that nobody else uses, what
 * has resolved is seen by what this process asks next, pages are read by the place that the last one named, and scores
 * equal those of an oracle up to rounding. What a back end may do otherwise has a name, and each that does says why.
 */
import { afterAll, beforeAll, describe } from "vitest";
import type { BackendCase, BackendUnderTest } from "./backend-under-test.js";
import { federationSuite } from "./federation-suite.js";
import { libraryOf } from "./library.js";
import { openSearchSuite } from "./open-search-suite.js";
import { querySuite, type SharedLibrary } from "./query-suite.js";
import { resultSuite } from "./result-suite.js";
import { storageSuite } from "./storage-suite.js";
import { writeSuite } from "./write-suite.js";

export function searchBackendSuite(tested: BackendCase): void {
  describe(`search back end: ${tested.name}`, () => {
    let under: BackendUnderTest;

    beforeAll(async () => {
      under = await tested.open();
    });
    afterAll(() => under?.close());

    describe("reading", () => {
      let library: Omit<SharedLibrary, "under">;
      beforeAll(async () => {
        library = await libraryOf(under.backend);
      });
      querySuite(() => ({ under, ...library }));
      resultSuite(() => ({ under, ...library }), tested);
    });
    federationSuite(() => under);
    openSearchSuite(() => under);
    writeSuite(() => under);
    storageSuite(() => under, tested);
  });
}
