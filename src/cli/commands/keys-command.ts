import type { AccessKey, KeyDraft } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { formatTable } from "../terminal/format-table.js";
import type { Output } from "../terminal/output.js";

export interface KeyOptions extends ConnectionOptions {
  readonly name?: string;
  readonly permissions?: string;
  readonly index?: readonly string[];
  readonly status?: "active" | "inactive";
  readonly federation?: string;
  readonly expires?: string;
}

/** Names for the usual masks (contract 2.2). */
const PERMISSION_NAMES: ReadonlyMap<string, number> = new Map([
  ["read", 1],
  ["ingest", 15],
  ["admin", 63],
]);

export async function runKeysList(options: ConnectionOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  const keys = await client.listKeys();
  output.result({ keys }, keys.length === 0 ? "no keys are stored" : describeKeys(keys));
}

/** The key alone, so that `$(findling keys show NAME)` puts it into a variable without showing it. */
export async function runKeysShow(name: string, options: ConnectionOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  const named = (await client.listKeys()).filter((key) => key.name === name);
  const [only] = named;
  if (only !== undefined && named.length === 1) {
    requireWhole(only);
    output.result(only, only.key);
    return;
  }
  throw new CliError(
    "key_not_found",
    named.length === 0
      ? `no stored key is named '${name}'; 'findling keys list' shows which there are`
      : `${named.length} keys are named '${name}'; 'findling keys list' shows them`,
  );
}

export async function runKeysCreate(options: KeyOptions, output: Output): Promise<void> {
  const permissions = parsePermissions(options.permissions ?? "read");
  const { client } = await connect(options);
  const key = await client.createKey({ ...draftOf(options), permissions });
  output.result(key, describeKeys([key]));
  if (mayUseNothing(key)) {
    output.note(
      "this key may use no index yet: 'findling keys update KEY --index NAME' names some, '*' all of them",
    );
  }
}

export async function runKeysUpdate(value: string, options: KeyOptions, output: Output): Promise<void> {
  const changes: KeyDraft = {
    ...draftOf(options),
    ...(options.permissions !== undefined && { permissions: parsePermissions(options.permissions) }),
  };
  if (Object.keys(changes).length === 0) {
    throw new CliError(
      "usage",
      "say what to change: --name, --permissions, --index, --status, --federation or --expires",
    );
  }
  const { client } = await connect(options);
  const key = await client.updateKey(value, changes);
  output.result(key, describeKeys([key]));
}

export async function runKeysDelete(
  value: string,
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  await client.deleteKey(value);
  output.result({ deleted: value }, "key deleted");
}

/** What a masked key begins with, which no key does; its last four characters follow where it can be decrypted. */
const MASK = "********";

/** Nobody should put the mask into a variable in the key's stead. */
function requireWhole({ key, id, name }: AccessKey): void {
  if (!key.startsWith(MASK)) return;
  throw new CliError(
    "insufficient_permissions",
    key === MASK
      ? `key '${name}' (id ${id}) can't be decrypted: the server runs without the secret key that it was encrypted with`
      : `key '${name}' (id ${id}) holds more than the key that was used, and is shown to those who hold as much`,
  );
}

/** `read`, `ingest`, `admin` or the mask itself. */
export function parsePermissions(text: string): number {
  const named = PERMISSION_NAMES.get(text);
  if (named !== undefined) return named;
  const mask = Number(text);
  if (Number.isInteger(mask) && mask >= 1 && mask <= 127 && /^\d+$/.test(text)) return mask;
  throw new CliError("usage", `'${text}' is no permission: use read, ingest, admin or a mask from 1 to 127`);
}

/** An administrator's scope is everything, whatever is listed. */
function mayUseNothing({ permissions, allowed_indexes, federation_name }: AccessKey): boolean {
  const isAdmin = (permissions & 63) === 63;
  return !isAdmin && allowed_indexes.length === 0 && federation_name === undefined;
}

function draftOf(options: KeyOptions): KeyDraft {
  return {
    ...(options.name !== undefined && { name: options.name }),
    ...(options.index !== undefined && { allowed_indexes: options.index }),
    ...(options.status !== undefined && { status: options.status }),
    ...(options.federation !== undefined && { federation_name: options.federation }),
    ...(options.expires !== undefined && {
      expires_at: options.expires === "never" ? null : options.expires,
    }),
  };
}

function describeKeys(keys: readonly AccessKey[]): string {
  const rows = keys.map((key) => [
    key.id,
    key.key,
    key.name,
    permissionName(key.permissions),
    key.allowed_indexes.join(", "),
    key.federation_name ?? "",
    statusOf(key),
    key.last_used_at ?? "",
  ]);
  return formatTable(["id", "key", "name", "may", "indexes", "federation", "status", "last use"], rows);
}

function statusOf({ status, expires_at: expiry }: AccessKey): string {
  if (status === "inactive" || expiry === undefined) return status;
  return Date.parse(expiry) <= Date.now() ? `expired ${expiry}` : `until ${expiry}`;
}

function permissionName(mask: number): string {
  // Bits beyond those of an administrator change nothing.
  const name = [...PERMISSION_NAMES].find(([, value]) => value === (mask & 63))?.[0];
  return name === undefined ? String(mask) : `${name} (${mask})`;
}
