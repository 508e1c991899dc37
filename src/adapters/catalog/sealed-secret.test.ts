// What is sealed opens with the same key at the same place only; whatever else is changed, it doesn't open.
import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyIdOf, openSecret, sealSecret } from "./sealed-secret.js";
import { parseSecretKey, secretKeyOf } from "./secret-key.js";

const KEY = secretKeyOf(randomBytes(32));
const PLACE = { index: "books", member: "ai.llm_api_key" };

describe("a sealed secret", () => {
  test("opens to what was sealed, and is never the same text twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ minLength: 1 }), (secret, index) => {
        const place = { index, member: "ai.llm_api_key" };
        const [one, two] = [sealSecret(secret, place, KEY), sealSecret(secret, place, KEY)];
        expect(openSecret(one, place, KEY)).toBe(secret);
        expect(openSecret(two, place, KEY)).toBe(secret);
        expect(one.sealed).not.toBe(two.sealed);
        expect(keyIdOf(one)).toBe(KEY.id);
      }),
    );
  });

  test("opens neither for another index or member nor with another key", () => {
    const secret = sealSecret("sk", PLACE, KEY);
    expect(openSecret(secret, { ...PLACE, index: "films" }, KEY)).toBeUndefined();
    expect(openSecret(secret, { ...PLACE, member: "ai.other" }, KEY)).toBeUndefined();
    const other = secretKeyOf(randomBytes(32));
    expect(openSecret(secret, PLACE, other)).toBeUndefined();
    expect(openSecret(secret, PLACE, { ...other, id: KEY.id })).toBeUndefined();
  });

  test("doesn't open with any character changed, removed or added", () => {
    const { sealed } = sealSecret("sk-of-some-length", PLACE, KEY);
    for (let at = 0; at < sealed.length; at++) {
      for (const put of ["", "A", "b", "0", ".", "=", sealed[at]! + sealed[at]!]) {
        const changed = sealed.slice(0, at) + put + sealed.slice(at + 1);
        if (changed !== sealed) expect(openSecret({ sealed: changed }, PLACE, KEY), changed).toBeUndefined();
      }
    }
  });

  test("of an unknown form has no key id", () => {
    for (const sealed of ["", "sk", "v2.0123456789abcdef.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA"]) {
      expect(keyIdOf({ sealed })).toBeUndefined();
    }
  });
});

describe("a secret key", () => {
  test("is the same in hex and in either base64, padded or not; its id says nothing of it", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (array) => {
        const bytes = Buffer.from(array);
        const forms = [
          bytes.toString("hex"),
          bytes.toString("hex").toUpperCase(),
          bytes.toString("base64"),
          bytes.toString("base64").slice(0, 43),
          bytes.toString("base64url"),
        ];
        const { id } = secretKeyOf(bytes);
        expect(forms.map((form) => parseSecretKey(form)?.id)).toEqual(forms.map(() => id));
        expect(forms.map((form) => parseSecretKey(form)?.key.export())).toEqual(forms.map(() => bytes));
        expect(bytes.toString("hex")).not.toContain(id);
      }),
    );
  });

  test("is nothing else", () => {
    const hex = "ab".repeat(32);
    // The last one has bits beyond the 32 bytes.
    for (const text of ["", "password", hex.slice(1), `${hex}a`, `g${hex.slice(1)}`, `${"A".repeat(42)}B=`]) {
      expect(parseSecretKey(text), text).toBeUndefined();
    }
    expect(() => secretKeyOf(new Uint8Array(31))).toThrow(RangeError);
  });

  test("isn't shown by whoever prints it", () => {
    const bytes = Buffer.from("marked-marked-marked-marked-mark");
    const key = secretKeyOf(bytes);
    for (const shown of [inspect(key, { depth: 9, showHidden: true }), JSON.stringify(key)]) {
      for (const form of ["marked", bytes.toString("hex"), bytes.toString("base64")]) {
        expect(shown).not.toContain(form);
      }
    }
  });
});
