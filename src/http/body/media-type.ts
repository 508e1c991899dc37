/**
 * Whether a `Content-Type` announces JSON: `application/json` or `application/*+json` with any
 * parameters, or no header at all (contract 1.1).
 */
export function announcesJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === "application/json") return true;
  const mediaType = contentType.split(";", 1)[0]!.trim().toLowerCase();
  return (
    mediaType === "" || mediaType === "application/json" || /^application\/[^\s/;]+\+json$/.test(mediaType)
  );
}
