import { AwsClient } from "aws4fetch";
import { FindlingError } from "../../errors/index.js";
import { S3ObjectStore } from "./s3-object-store.js";

const DEFAULT_REGION = "us-east-1";

/**
 * A bucket, by the environment's usual variables. With an endpoint of one's own the bucket is part of the path, as all
 * stores that speak S3 take it; at Amazon it is part of the host.
 *
 * @param url `s3://bucket/prefix`
 * @throws FindlingError `invalid_configuration` naming the variable that is missing
 */
export function openS3(url: URL, env: Readonly<Record<string, string | undefined>>): S3ObjectStore {
  const bucket = url.hostname;
  const prefix = url.pathname.replace(/^\/+|\/+$/g, "");
  const region = env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? DEFAULT_REGION;
  const sessionToken = env["AWS_SESSION_TOKEN"];
  const client = new AwsClient({
    accessKeyId: required("AWS_ACCESS_KEY_ID", env),
    secretAccessKey: required("AWS_SECRET_ACCESS_KEY", env),
    ...(sessionToken !== undefined && sessionToken !== "" && { sessionToken }),
    service: "s3",
    region,
    // Attempts are made by the store, which knows what may be made again.
    retries: 0,
  });
  const endpoint = env["AWS_ENDPOINT_URL_S3"] ?? env["AWS_ENDPOINT_URL"];
  const base =
    endpoint === undefined || endpoint === ""
      ? `https://${bucket}.s3.${region}.amazonaws.com`
      : `${checkedEndpoint(endpoint)}/${bucket}`;
  return new S3ObjectStore({
    bucket,
    prefix,
    base,
    send: (request) => client.fetch(request.url, request.init),
  });
}

function required(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[name]?.trim();
  if (value !== undefined && value !== "") return value;
  throw new FindlingError("invalid_configuration", `backups in s3:// need ${name} in the environment`);
}

function checkedEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "") {
    throw new FindlingError(
      "invalid_configuration",
      "AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL must be an address such as https://s3.example",
    );
  }
  return endpoint.replace(/\/+$/, "");
}
