import type { DictionaryService } from "../../services/dictionaries/dictionary-service.js";
import { type HandlersOf, parameter } from "./route-handler.js";

export function dictionaryRoutes(dictionaries: DictionaryService): HandlersOf<"Dictionaries"> {
  return {
    getSynonyms: (call) => dictionaries.synonyms(parameter(call, "index_name")),
    addSynonyms: (call) => dictionaries.addSynonyms(parameter(call, "index_name"), call.body),
    deleteSynonyms: (call) => dictionaries.deleteSynonyms(parameter(call, "index_name"), call.body),
    deleteAllSynonyms: (call) => dictionaries.deleteAllSynonyms(parameter(call, "index_name")),
    getStopwords: (call) => dictionaries.stopwords(parameter(call, "index_name")),
    addStopwords: (call) => dictionaries.addStopwords(parameter(call, "index_name"), call.body),
    deleteStopwords: (call) => dictionaries.deleteStopwords(parameter(call, "index_name"), call.body),
    deleteAllStopwords: (call) => dictionaries.deleteAllStopwords(parameter(call, "index_name")),
  };
}
