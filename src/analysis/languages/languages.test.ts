import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { STEMMING_LANGUAGES } from "../../contract/stemming-languages.js";
import { FindlingError } from "../../errors/index.js";
import { createStemmer, STEMMED_LANGUAGES, stemmingCode } from "./stemmers.js";
import { STOP_WORD_LANGUAGES, stopWords } from "./stop-words.js";

const LONE_SURROGATE = /\p{Cs}/u;

describe("createStemmer", () => {
  test("has the languages that the contract names", () => {
    expect(STEMMED_LANGUAGES).toEqual(STEMMING_LANGUAGES);
    expect([...STEMMED_LANGUAGES].sort()).toEqual(STEMMED_LANGUAGES);
    expect(["en", "no", "nb", "xx", ""].map(stemmingCode)).toEqual(["en", "no", "no", null, null]);
  });

  test("refuses a language without a stemmer, naming those that have one", () => {
    expect(() => createStemmer("zh")).toThrow(FindlingError);
    expect(() => createStemmer("zh")).toThrow(/no stemmer for language 'zh', only for ar, ca,/);
  });

  test("stems Romanian in either spelling, and gives the one of today", () => {
    const stemmer = createStemmer("ro");
    expect(stemmer.stem("ştiinţă")).toBe(stemmer.stem("știință"));
    expect(stemmer.stem("soţii")).toBe(stemmer.stem("soții"));
    expect(stemmer.stem("ţşu")).toBe("țșu");
  });

  // Goal: no text can stop or confuse a stemmer. Method: words of any characters, biased to the
  // language's letters by mutating its stopwords, on one long-lived stemmer beside a fresh one.
  test.each(STEMMED_LANGUAGES)(
    "%s: never throws, ends, and remembers nothing of the word before",
    (language) => {
      const stemmer = createStemmer(language);
      // Tamil has no stopwords; these are forms of its word for house.
      const known = language === "ta" ? ["வீடு", "வீடுகள்", "வீட்டில்"] : [...stopWords(language)];
      const letters = [...new Set(known.join(""))];
      const word = fc.oneof(
        fc.array(fc.constantFrom(...letters), { maxLength: 64 }).map((parts) => parts.join("").slice(0, 64)),
        fc.array(fc.constantFrom(...known), { maxLength: 3 }).map((parts) => parts.join("").slice(0, 64)),
        fc.string({ unit: "binary", maxLength: 64 }).map((text) => text.toLowerCase().slice(0, 64)),
        fc.string({ unit: "grapheme", maxLength: 64 }).map((text) => text.toLowerCase().slice(0, 64)),
      );
      fc.assert(
        fc.property(word, (text) => {
          const stem = stemmer.stem(text);
          expect(typeof stem).toBe("string");
          expect(stemmer.stem(text)).toBe(stem);
          if (!LONE_SURROGATE.test(text)) expect(stem).not.toMatch(LONE_SURROGATE);
        }),
        { numRuns: 300 },
      );
      for (const text of fc.sample(word, 5))
        expect(stemmer.stem(text)).toBe(createStemmer(language).stem(text));
    },
  );
});

describe("stopWords", () => {
  test("has a dictionary of clean words for every language it names", () => {
    expect(STOP_WORD_LANGUAGES.length).toBeGreaterThanOrEqual(60);
    expect([...STOP_WORD_LANGUAGES].sort()).toEqual(STOP_WORD_LANGUAGES);
    for (const language of STOP_WORD_LANGUAGES) {
      const words = [...stopWords(language)];
      expect([language, language.length, words.length >= 30]).toEqual([language, 2, true]);
      for (const word of words) {
        expect(word).toBe(word.normalize("NFC").toLowerCase());
        expect(word).toMatch(/^[\p{L}\p{M}\p{N}](?:.*[\p{L}\p{M}\p{N}])?$/u);
      }
    }
  });

  test("covers every language with a stemmer", () => {
    expect(STEMMED_LANGUAGES.filter((language) => !STOP_WORD_LANGUAGES.includes(language))).toEqual(["ta"]);
  });

  // What somebody looks for is no stopword: things, people, times, qualities, numbers.
  test.each([
    [
      "de",
      "Uhr Mensch Zeit Recht Jahr Tag Haus Weg Waren Geld Leben Ende Teil Welt groß gut neu eins zwei drei",
    ],
    ["fr", "été états avions année jour maison temps gens heure monde grand bon nouveau deux trois"],
    ["es", "estado estados sentido año día casa tiempo gente hora mundo grande bueno nuevo dos tres"],
    ["it", "stato stati fosse anno giorno casa tempo gente ora mondo grande buono nuovo due tre"],
    ["pt", "estado estados forma ano dia casa tempo gente hora mundo grande bom novo dois três"],
    ["nl", "uur mens tijd recht jaar dag huis weg geld leven groot goed nieuw twee drie"],
    ["sv", "nummer sju människa tid år dag hus väg pengar liv stor god ny två tre"],
    ["da", "mand hund have menneske tid år dag hus vej penge liv stor god ny to tre"],
    ["no", "side menneske tid år dag hus vei penger liv stor god ny to tre"],
    ["fi", "ihminen aika vuosi päivä talo tie raha elämä suuri hyvä uusi kaksi kolme"],
    ["hu", "cikk ember idő év nap ház út pénz élet nagy jó új kettő három első"],
    ["ru", "человек время год день дом путь деньги жизнь большой хороший новый два три раз"],
    ["tr", "insan zaman yıl gün ev yol para hayat büyük iyi yeni iki üç"],
    ["ar", "رجل وقت سنة يوم بيت طريق مال حياة كبير جيد جديد أربعة الثاني أيار أخ"],
    ["th", "คน เวลา ปี วัน บ้าน ทาง เงิน ชีวิต ผล รายการ"],
    ["vi", "người thời gian năm ngày nhà đường tiền cuộc sống lớn chuyện chiếc nơi việc"],
    ["pl", "człowiek czas rok lat dzień dom droga pan pani sposób wielki dobry nowy dwa trzy"],
    ["cs", "člověk čas rok den dům strana nový dobrý deset dva"],
    ["ro", "om timp frumos noroc bine opt zece zero zi spate prim"],
    ["el", "άνθρωπος χρόνος έτος ημέρα σπίτι δρόμος χρήμα ζωή"],
    ["uk", "людина час рік день дім шлях гроші життя"],
    ["he", "אדם זמן שנה יום בית דרך כסף חיים נגר"],
    ["hi", "आदमी समय साल दिन घर रास्ता काम"],
    ["id", "orang waktu tahun hari rumah jalan bulan bekerja besar bapak"],
    ["ja", "人 時 年 日 家 水 猫"],
    ["ko", "사람 시간 년 날 집 결과 은 과 도"],
    ["zh", "人 时 年 月 日 分 秒 家 水 地 小"],
  ])("%s: no content word is one", (language, words) => {
    const dictionary = stopWords(language);
    expect(
      words
        .toLowerCase()
        .split(" ")
        .filter((word) => dictionary.has(word)),
    ).toEqual([]);
  });

  test.each([
    ["en", "the a an and of in"],
    ["de", "der die das ein eine und"],
    ["fr", "le la les l un une des ils elles"],
    ["es", "el la los las un una unos unas"],
    ["it", "il lo la gli le un uno una tra fra"],
    ["pt", "o a os as um uma uns umas é"],
    ["nl", "de het een en"],
    ["sv", "en ett den det och"],
    ["da", "en et den det og"],
    ["no", "en ei et den det og"],
    ["fi", "ja se ne hän"],
    ["hu", "a az egy és is ha"],
    ["ru", "и к ко с со я он"],
    ["uk", "і й та я він"],
    ["pl", "i ja ty my wy on"],
    ["cs", "a já ty my vy je není"],
    ["tr", "ve bir mi mı mu mü"],
    ["el", "ο η το οι τα και"],
    ["ro", "un o și să"],
    ["ca", "el la els les un una"],
  ])("%s: articles, pronouns and conjunctions are", (language, words) => {
    const dictionary = stopWords(language);
    expect(words.split(" ").filter((word) => !dictionary.has(word))).toEqual([]);
  });

  test("spells Greek with and without accents, Romanian with commas and cedillas", () => {
    expect(["αλλα", "αλλά", "και"].every((word) => stopWords("el").has(word))).toBe(true);
    expect(["şi", "și"].every((word) => stopWords("ro").has(word))).toBe(true);
  });
});
