import { expect, it } from "vitest";
import { reopenSections } from "../segment/container/reopen-sections.js";
import { checkFieldTerms } from "../segment/terms/check-field-terms.js";
import { FieldTermsReader } from "../segment/terms/field-terms-reader.js";
import { contentOf, naiveContent, spaceAnalyzer } from "./naive-text-field.js";
import { TextFieldBuilder } from "./text-field-builder.js";

it("smoke", () => {
  const field = [["a b _ a", "😀 é"], [], ["b", "\uffff"]];
  for (let i = 0; i < 1000; i++) field.push([`a ${"c ".repeat(i % 300)}d${i}`, i % 7 === 0 ? "漢" : ""]);
  const builder = new TextFieldBuilder();
  field.forEach((values, docId) => {
    let base = 0;
    for (const value of values)
      base = builder.addValue(docId, value.replaceAll("  ", " _ "), spaceAnalyzer, base);
  });
  const source = reopenSections((sink) => builder.write(sink, "f0.", field.length));
  const reader = FieldTermsReader.open(source, "f0.", field.length, null, "x")!;
  expect(contentOf(reader)).toEqual(naiveContent(field, null));
  expect(checkFieldTerms(reader)).toEqual([]);
});
