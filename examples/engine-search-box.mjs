// A search box without a server: typing mistakes, half-typed words, what matched marked, and suggestions.
import { defineSchema, Index, MemoryDirectory } from "findling/engine";

const schema = defineSchema({ title: "text", text: "text" }, { language: "en", foldDiacritics: true });
const recipes = await Index.create(new MemoryDirectory(), schema, {
  weights: { title: 3 },
  synonyms: { aubergine: ["eggplant"] },
});
await recipes.add([
  { title: "Crème brûlée", text: "Cream, sugar and a torch." },
  { title: "Baked eggplant", text: "Eggplants with tomatoes, baked for an hour." },
  { title: "Tomato soup", text: "Tomatoes, an onion, and a little cream." },
]);
await recipes.commit();

const titles = (text, options) => recipes.search(text, options).hits.map(({ document }) => document.title);
console.log("mistyped:", titles("tomatoe sop", { match: "all" }));
console.log("without accents:", titles("creme brulee"));
console.log("a synonym:", titles("aubergine"));
console.log("half-typed:", titles("bak", { asYouType: true }));
const [soup] = recipes.search("creamy onions", { highlight: { preTag: "[", postTag: "]" } }).hits;
console.log("marked:", soup.highlights.text);
console.log("suggested:", recipes.suggest("tom").completions);
await recipes.close();
