import { describe, expect, test } from "vitest";
import { ROUTE_TABLE } from "../../contract/route-table.js";
import { methodsAt } from "./route-matching.js";

describe("methodsAt", () => {
  test.each([
    ["/healthcheck", ["GET", "HEAD", "OPTIONS"]],
    ["//healthcheck/?x=1", ["GET", "HEAD", "OPTIONS"]],
    ["/index/books", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/index/books/search", ["POST", "OPTIONS"]],
    ["/index/books/documents/query", ["GET", "HEAD", "DELETE", "OPTIONS"]],
    ["/nowhere", []],
    ["/index/books/search/more", []],
    ["/", []],
  ])("of %s", (url, methods) => {
    expect(methodsAt(ROUTE_TABLE, url)).toEqual(methods);
  });
});
