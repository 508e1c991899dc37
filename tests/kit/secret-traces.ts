/** A text as it could stand somewhere without being plain to see, by the form's name. */
export function formsOf(secret: string): ReadonlyMap<string, Buffer> {
  const utf8 = Buffer.from(secret, "utf8");
  const utf16 = Buffer.from(secret, "utf16le");
  const forms = new Map<string, Buffer>([
    ["plain", utf8],
    ["reversed", Buffer.from(utf8).reverse()],
    ["UTF-16, little endian", utf16],
    ["UTF-16, big endian", Buffer.from(utf16).swap16()],
    ["hex", Buffer.from(utf8.toString("hex"))],
    ["upper-case hex", Buffer.from(utf8.toString("hex").toUpperCase())],
    ["URL-encoded", Buffer.from(encodeURIComponent(secret))],
  ]);
  // Within a longer text, base64 looks one of three ways; the characters at its ends hold other bits, too.
  for (const shift of [0, 1, 2]) {
    const inside = utf8.subarray(shift, shift + 3 * Math.floor((utf8.length - shift) / 3));
    forms.set(`base64 at ${shift}`, Buffer.from(inside.toString("base64")));
    forms.set(`base64url at ${shift}`, Buffer.from(inside.toString("base64url")));
  }
  return forms;
}

/** Names of the forms in which the bytes hold the secret. */
export function tracesOf(secret: string, bytes: Uint8Array | string): readonly string[] {
  const buffer = Buffer.from(bytes as Uint8Array);
  return [...formsOf(secret)].filter(([, form]) => buffer.includes(form)).map(([name]) => name);
}
