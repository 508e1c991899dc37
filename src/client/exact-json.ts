/** For programs that read or write JSON with long integers themselves; the client loads it where it meets some. */
export { readJson, writeJson } from "../json/exact-json.js";
