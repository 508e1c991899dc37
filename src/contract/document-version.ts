/**
 * The version of a document, 16 hex digits: it is another one whenever what a hit shows of the document has changed, or
 * another document has taken its place.
 *
 * @param documentId its `_id`
 * @param json its stored fields, whole, in UTF-8
 */
export function documentVersion(documentId: string, json: Uint8Array): string {
  let low = 0x811c_9dc5;
  let high = 0x9e37_79b9;
  for (let i = 0; i < documentId.length; i++) low = Math.imul(low ^ documentId.charCodeAt(i), 0x0100_0193);
  for (let i = 0; i < json.length; i++) {
    low = Math.imul(low ^ json[i]!, 0x0100_0193);
    high = Math.imul(high ^ json[i]! ^ (low >>> 24), 0x85eb_ca6b);
  }
  return mixed(low ^ json.length) + mixed(high ^ low);
}

/** The final mix of MurmurHash3 (Appleby), as eight hex digits. */
function mixed(hash: number): string {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2_ae35);
  return ((mix ^ (mix >>> 16)) >>> 0).toString(16).padStart(8, "0");
}
