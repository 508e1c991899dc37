// Contract 5.5, rules 9 and 10: ranges, sets and values by field type.
import { afterAll, beforeAll } from "vitest";
import { createShop, shopRules } from "./shop-index.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await createShop(server);
});
afterAll(() => server.stopAndRemove());

const { rule, refused } = shopRules(() => server);

rule("9 ranges and sets", [
  ["price:[10 TO 20]", "ab"],
  ["price:{10 TO 20}", ""],
  ["price:{5 TO 25}", "ab"],
  ["price:[10 TO 20}", "a"],
  ["price:{10 TO 20]", "b"],
  ["price:[* TO 20]", "ab"],
  ["price:[20 TO *]", "bcde"],
  ["price:{20 TO *}", "cde"],
  ["price:[* TO *]", "abcde"],
  ["price:[20 TO 10]", ""],
  ["price: [10 TO 20]", "ab"],
  ["price : [ 10  TO  20 ]", "ab"],
  ['price:["10" TO "20"]', "ab"],
  ["price:>20", "cde"],
  ["price:>=20", "bcde"],
  ["price:<20", "a"],
  ["price:<=20", "ab"],
  ["price:>= 20", "bcde"],
  ['price:>="20"', "bcde"],
  ["price: IN [10 30]", "ac"],
  ["price:IN[10 30]", "ac"],
  ["price:IN [10, 30,]", "ac"],
  ["price:IN []", ""],
  ["kind: IN [/sale /clothes/hats]", "bc"],
  ["tags:IN [evolution, colonization,]", "ae"],
  ["-price:[10 TO 40]", "ef"],
]);

rule("10 text: sets of items and phrases, ranges of single tokens by code point", [
  ['title:IN ["red hat" router]', "cd"],
  ["title:IN [wi-fi]", "d"],
  ["title:IN [SHOES]", "ab"],
  ["title:[hat TO lord]", "ce"],
  ["title:[HAT TO Lord]", "ce"],
  ["title:>=wi", "df"],
  ["title:{wi TO *]", ""],
  ["title:[* TO fi]", "bd"],
]);
refused(
  "10 text: a bound of several tokens",
  ['title:["red hat" TO z]', "title:>wi-fi"],
  "invalid_field_value",
);

rule("10 id: the whole value", [
  ["id:IN [a-1 c-3 x]", "ac"],
  ['id:"b-2"', "b"],
  ["id:B-2", ""],
  ["id:(a-1 OR b-2)", "ab"],
]);

rule("10 facet: the path or what is below it", [
  ["kind:/clothes", "abc"],
  ["kind:clothes", "abc"],
  ["kind:/clothes/", "abc"],
  ["kind:/clothes/shoes", "ab"],
  ["kind:/Clothes", ""],
  ["kind:/cloth", ""],
  ["kind:/clothes/sh", ""],
  ['kind:"/electronics/New York"', "d"],
  ["kind:/electronics/New\\ York", "d"],
  ["kind:IN [/sale electronics]", "bd"],
]);

rule("10 bool: any case, quotes allowed", [
  ["active:true", "ad"],
  ["active:TRUE", "ad"],
  ['active:"False"', "b"],
  ["active:IN [true false]", "abd"],
]);

rule("10 numbers, also those that the type cannot hold", [
  ["balance:-5", "a"],
  ["price:1e1", "a"],
  ["price:10.0", "a"],
  ["price:10.5", ""],
  ["price:-1", ""],
  ["rating:9.0", "b"],
  ["rating:9", "b"],
  ["rating:>9", "c"],
  ["rating:[4.5 TO 9]", "ab"],
  ["balance:>-1", "bc"],
  ["balance:[-5 TO 0]", "ab"],
  ["price:>-1", "abcde"],
  ["price:<=99999999999999999999999", "abcde"],
  ["price:>99999999999999999999999", ""],
  ["price:99999999999999999999999", ""],
  ["price:>10.5", "bcde"],
  ["price:<1e400", "abcde"],
  ["rating:<1e400", "abc"],
  ["rating:1e400", ""],
  ["rating:>-1e400", "abc"],
  ["balance:-0", "b"],
]);

rule("10 dates: instants in every notation, at the field's precision", [
  ["at:2024-01-01", "a"],
  ["at:1704067200", "a"],
  ["at:2024-01-01T00:00:00Z", "a"],
  ["at:2024-01-01T01:00:00+01:00", "a"],
  ['at:"2024-06-01T12:30:00Z"', "b"],
  ["at:2024\\-06\\-01T12\\:30\\:00Z", "b"],
  ["at:2024-06-01T12:30:00.9Z", "b"],
  ["seen:2024-05-01T00:00:00.123Z", "c"],
  ["seen:2024-05-01T00:00:00.123999Z", "c"],
  ["seen:2024-05-01T00:00:00.124Z", ""],
  ["at:>=2024-06-01T00:00:00.000Z", "bc"],
  ["at:>1704067200", "bc"],
  ["at:[2024-01-01 TO 2024-06-30]", "ab"],
  ["at:[2024-01-01T00:00:00.000Z TO 2024-12-31T00:00:00.000Z]", "ab"],
  ["at:-1", ""],
  ["at:IN [2024-01-01 1717245000]", "ab"],
  ["at:2024-01-01T00:00:00Z hat", "ac"],
]);

refused(
  "10 refuses ranges on types without order",
  ["id:[a TO b]", "id:>a", "kind:[/a TO /b]", "kind:>=/a", "active:[false TO true]", "active:>false"],
  "invalid_field_value",
);
refused(
  "10 refuses values of another type",
  [
    "price:ten",
    "price:0x10",
    "price:[1 TO ten]",
    "price:IN [1 ten]",
    "balance:--5",
    "rating:NaN",
    "rating:Infinity",
    "active:yes",
    "active:1",
    "at:someday",
    "at:2024-02-30",
    "at:10000-01-01",
    "at:2024-01-01T00:00:00",
    "kind:/a//b",
    'kind:""',
  ],
  "invalid_field_value",
);
