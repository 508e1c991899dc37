// Property: heads have one sender exactly if they differ in the body's length alone.
import { expect, test } from "vitest";
import { ROUTE_TABLE } from "../../contract/route-table.js";
import { PlainRoute } from "./plain-head.js";
import { PlainHeads } from "./routed-heads.js";

const row = ROUTE_TABLE.find(({ operationId }) => operationId === "searchIndex")!;
const head = (length: number, ...lines: string[]): string =>
  [
    "POST /index/books/search HTTP/1.1",
    "Host: here",
    `Content-Length: ${length}`,
    "content-type: application/json",
    ...lines,
  ].join("\r\n");

test("the sender is who the other headers name", () => {
  const heads = new PlainHeads([new PlainRoute({ row, handler: () => "" })]);
  const first = heads.of(head(2, "x-sc-user-id: 2"))!;
  const longer = heads.of(head(3, "x-sc-user-id: 2"))!;
  const other = heads.of(head(2, "x-sc-user-id: 3"))!;
  expect([first.bodyLength, longer.bodyLength]).toEqual([2, 3]);
  expect(longer.sender).toBe(first.sender);
  expect(other.sender).not.toBe(first.sender);
  expect(other.sender["x-sc-user-id"]).toBe("3");
});

test("more senders than are remembered are told apart", () => {
  const heads = new PlainHeads([new PlainRoute({ row, handler: () => "" })]);
  for (let i = 0; i < 1_000; i++) {
    const { sender } = heads.of(head(2, `x-sc-user-id: ${i}`))!;
    expect(sender["x-sc-user-id"]).toBe(String(i));
    expect(heads.of(head(3, `x-sc-user-id: ${i}`))!.sender).toBe(sender);
  }
});
