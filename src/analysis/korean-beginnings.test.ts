/** Beginnings as a Korean keyboard makes them, compared with a keyboard that composes letters one by one. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { beginsLike, meantBy, typedOnTheWayTo, withMovedFinal } from "./korean-beginnings.js";

/** Letters as keys give them, by how syllables are taken apart. */
const INITIALS = [..."ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"];
const VOWELS = "ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ ㅕ ㅖ ㅗ ㅗㅏ ㅗㅐ ㅗㅣ ㅛ ㅜ ㅜㅓ ㅜㅔ ㅜㅣ ㅠ ㅡ ㅡㅣ ㅣ".split(" ");
const FINALS =
  ",ㄱ,ㄲ,ㄱㅅ,ㄴ,ㄴㅈ,ㄴㅎ,ㄷ,ㄹ,ㄹㄱ,ㄹㅁ,ㄹㅂ,ㄹㅅ,ㄹㅌ,ㄹㅍ,ㄹㅎ,ㅁ,ㅂ,ㅂㅅ,ㅅ,ㅆ,ㅇ,ㅈ,ㅊ,ㅋ,ㅌ,ㅍ,ㅎ".split(
    ",",
  );

interface Syllable {
  readonly initial: number;
  vowel?: string;
  final: string;
}

function keysOf(word: string): string[] {
  return [...word].flatMap((syllable) => {
    const number = syllable.charCodeAt(0) - 0xac00;
    return [
      INITIALS[Math.floor(number / 588)]!,
      ...VOWELS[Math.floor(number / 28) % 21]!,
      ...FINALS[number % 28]!,
    ];
  });
}

/** What a keyboard shows after the keys; an initial alone as the letter that it is normalized to. */
function shownAfter(keys: readonly string[]): string {
  const syllables: Syllable[] = [];
  for (const key of keys) {
    const last = syllables.at(-1);
    if (INITIALS.includes(key)) {
      if (last?.vowel !== undefined && FINALS.includes(last.final + key)) last.final += key;
      else syllables.push({ initial: INITIALS.indexOf(key), final: "" });
      continue;
    }
    if (last !== undefined && last.final === "") {
      last.vowel = (last.vowel ?? "") + key;
      continue;
    }
    const moved = last!.final.at(-1)!;
    last!.final = last!.final.slice(0, -1);
    syllables.push({ initial: INITIALS.indexOf(moved), vowel: key, final: "" });
  }
  return syllables
    .map(({ initial, vowel, final }) => {
      if (vowel === undefined) return String.fromCharCode(0x1100 + initial);
      const number = (initial * 21 + VOWELS.indexOf(vowel)) * 28 + FINALS.indexOf(final);
      return String.fromCharCode(0xac00 + number);
    })
    .join("");
}

const syllable = fc.integer({ min: 0xac00, max: 0xd7a3 }).map((unit) => String.fromCharCode(unit));
const word = fc.array(syllable, { minLength: 1, maxLength: 4 }).map((syllables) => syllables.join(""));

test("whatever a keyboard shows on the way to a word begins it", () => {
  fc.assert(
    fc.property(word, (whole) => {
      const keys = keysOf(whole);
      expect(shownAfter(keys)).toBe(whole);
      for (let count = 1; count <= keys.length; count++) {
        const shown = shownAfter(keys.slice(0, count));
        const moved = withMovedFinal(shown);
        const begins = beginsLike(whole, shown) || (moved !== null && beginsLike(whole, moved));
        expect(begins, `${shown} on the way to ${whole}`).toBe(true);
      }
    }),
  );
});

test("a beginning stands for a text as long if and only if it is on the way to it", () => {
  fc.assert(
    fc.property(syllable, fc.oneof(syllable, fc.integer({ min: 0x1100, max: 0x1112 })), (whole, other) => {
      const beginning = typeof other === "number" ? String.fromCharCode(other) : other;
      const near = String.fromCharCode(whole.charCodeAt(0) - (whole.charCodeAt(0) % 3));
      for (const typed of [beginning, near, whole])
        expect(typedOnTheWayTo(whole).includes(typed)).toBe(beginsLike(whole, typed));
    }),
  );
});

describe("beginsLike", () => {
  test.each([
    ["스마트폰을", "스마트포", true],
    ["스마트폰을", "스마트ᄑ", true],
    ["스마트포", "스마트폰", false],
    ["스마트", "스마트포", false],
    ["한국어", "한구", true],
    ["한그", "한구", false],
    ["과자", "고", true],
    ["닭갈비", "달", true],
    ["학교", "학ᄀ", true],
    ["학", "학ᄀ", false],
    ["abc", "", true],
    ["abc", "abd", false],
  ])("%s, %s: %s", (whole, beginning, begins) => {
    expect(beginsLike(whole, beginning)).toBe(begins);
  });
});

test("what is no Korean stands for itself", () => {
  expect(meantBy(0x61)).toEqual({ first: 0x61, last: 0x61 });
  expect(typedOnTheWayTo("abc")).toEqual(["abc"]);
  expect(withMovedFinal("abc")).toBeNull();
  expect(withMovedFinal("")).toBeNull();
  expect(withMovedFinal("스마")).toBeNull();
  expect(withMovedFinal("스맡")).toBe("스마ᄐ");
  expect(withMovedFinal("값")).toBe("갑ᄉ");
});
