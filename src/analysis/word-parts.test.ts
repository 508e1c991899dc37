/** Words in three parts, and abbreviations of five and six letters. */
import { expect, test } from "vitest";
import { wordParts } from "./word-parts.js";

const shown = (word: string, isBegun: boolean, known: readonly string[]): string[] =>
  wordParts(word, isBegun, (part) => known.includes(part)).map(
    ({ terms, lastIsPrefix }) => terms.join("+") + (lastIsPrefix ? "*" : ""),
  );

test("three words of those that are known", () => {
  expect(shown("toysrus", false, ["toys", "r", "us", "toy", "to", "rus"])).toEqual(["toy+rus", "toys+r+us"]);
  expect(shown("motherinlaw", false, ["mother", "in", "law", "moth"])).toEqual(["mother+in+law"]);
  expect(shown("motherinla", true, ["mother", "in", "la"])).toEqual(["mother+in+la*"]);
  expect(shown("rocknrol", true, ["rock", "n", "rol"])).toEqual(["rock+n+rol*"]);
});

test("the letters of an abbreviation", () => {
  expect(shown("shield", false, [])).toEqual(["s+h+i+e+l+d"]);
  expect(shown("interpol", false, [])).toEqual([]);
  expect(shown("usa", false, [])).toEqual([]);
});

test("a sign in place of a letter", () => {
  expect(shown("pink", false, ["p", "nk"])).toEqual(["p+nk"]);
  expect(shown("kesh", true, ["ke", "h"])).toEqual(["ke+h"]);
  expect(shown("kesha", true, ["ke", "ha"])).toEqual(["ke+ha*", "k+e+s+h+a"]);
  expect(shown("song", false, ["ong", "so"])).toEqual([]);
});

test("nothing of digits, of scripts without capitals and of what is too long", () => {
  const all = (word: string): number => wordParts(word, false, () => true).length;
  expect(all("ab1234xy")).toBe(0);
  expect(all("हिन्दीभाषा")).toBe(0);
  expect(all("東京東京東京")).toBe(0);
  expect(all("a".repeat(25))).toBe(0);
  expect(all("a".repeat(24))).toBeLessThan(250);
});

test("the middle is asked for only between parts that may be", () => {
  const asked: string[] = [];
  wordParts("organizaton", false, (part) => {
    asked.push(part);
    return part === "organ";
  });
  expect(asked.length).toBeLessThan(14);
});
