import { createHash, createHmac } from "node:crypto";
import type { ReceivedRequest } from "../provider-server.js";

export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
}

/**
 * Throws unless the request is signed with these credentials: AWS Signature Version 4, after
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
export function requireSignature(request: ReceivedRequest, credentials: SigningCredentials): void {
  const match = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    request.headers.authorization ?? "",
  );
  if (match === null) throw new Error("the request is not signed");
  const [, credential = "", signedHeaders = "", signature = ""] = match;
  const time = String(request.headers["x-amz-date"]);
  const scope = [time.slice(0, 8), credentials.region, credentials.service, "aws4_request"];
  if (credential !== [credentials.accessKeyId, ...scope].join("/")) throw new Error("the scope is another");
  if (!signedHeaders.split(";").includes("host")) throw new Error("the host is not signed");

  const canonical = canonicalRequest(request, signedHeaders.split(";"));
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n");
  const key = scope.reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const expected = createHmac("sha256", key).update(toSign).digest("hex");
  if (signature !== expected) throw new Error("the signature is wrong");
}

function canonicalRequest(
  { method, path, headers, body }: ReceivedRequest,
  signed: readonly string[],
): string {
  const [folder, query = ""] = path.split("?") as [string, string?];
  return [
    method,
    // What is encoded in the path already is encoded once more, for every service but S3.
    folder.split("/").map(encoded).join("/"),
    query,
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, " ")}`),
    "",
    signed.join(";"),
    sha256(body),
  ].join("\n");
}

function encoded(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
