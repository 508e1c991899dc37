/**
 * ClickHouse's HTTP interface over chDB, which is ClickHouse's own engine as a library; run as a child
 * process with `chdb-bridge.ts <folder with node_modules/chdb> <data folder> [port]`, it prints its port and
 * ends with its standard input. What differs from a real server:
 *
 * - One statement runs at a time; settings are put into the statement's text.
 * - There is one user (`findling`, `secret`), checked here; no quotas, no roles.
 * - A whole answer is in memory before its first byte is sent: no error comes in the middle of one.
 * - Limits of time are not enforced on a statement whose caller has gone.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { wholeBody } from "../../kit/whole-body.js";

interface ChdbSession {
  queryAsync(sql: string, options: { format: string }): Promise<ChdbResult>;
  queryBindAsync(sql: string, parameters: object, options: { format: string }): Promise<ChdbResult>;
  insert(rows: {
    table: string;
    values: Buffer;
    format: string;
    settings: Record<string, string>;
  }): Promise<unknown>;
}

interface ChdbResult {
  bytes(): Uint8Array;
}

const [packageFolder, dataFolder, port = "0"] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { Session } = require(join(packageFolder!, "node_modules", "chdb")) as {
  Session: new (path: string) => ChdbSession;
};
const session = new Session(dataFolder!);

const AUTHORIZATION = `Basic ${Buffer.from("findling:secret").toString("base64")}`;
/** URL parameters that are no settings. */
const NO_SETTINGS = new Set(["query", "query_id", "database", "default_format", "wait_end_of_query", "role"]);

let turn: Promise<unknown> = Promise.resolve();
let database = "default";

const server = createServer((request, response) => {
  void wholeBody(request).then((body) => {
    if (body === null) return;
    turn = turn.then(() => answer(request, body, response)).catch(() => undefined);
  });
});

server.listen(Number(port), "127.0.0.1", () => {
  console.log((server.address() as AddressInfo).port);
});
process.stdin.on("end", () => process.exit(0)).resume();

async function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://bridge");
  if (url.pathname === "/ping") return void response.end("Ok.\n");
  try {
    if (request.headers.authorization !== AUTHORIZATION) {
      throw Object.assign(
        new Error("Code: 516. DB::Exception: findling: Authentication failed. (AUTHENTICATION_FAILED)"),
        {
          clickhouseCode: 516,
        },
      );
    }
    await use(url.searchParams.get("database") ?? "default");
    response.end(await run(url.searchParams, body));
  } catch (error) {
    const { clickhouseCode, message } = error as Error & { clickhouseCode?: number };
    response.writeHead(500, { "X-ClickHouse-Exception-Code": String(clickhouseCode ?? 1002) });
    response.end(message);
  }
}

async function use(name: string): Promise<void> {
  if (name === database) return;
  await session.queryAsync(`USE ${name}`, { format: "CSV" });
  database = name;
}

async function run(parameters: URLSearchParams, body: Buffer): Promise<Uint8Array> {
  const settings = Object.fromEntries(
    [...parameters].filter(([name]) => !NO_SETTINGS.has(name) && !name.startsWith("param_")),
  );
  const query = parameters.get("query");
  if (query !== null && body.length > 0) {
    const [, table, format] = /^INSERT INTO (\w+) FORMAT (\w+)\s*$/.exec(query) ?? [];
    await session.insert({ table: table!, values: body, format: format!, settings });
    return new Uint8Array();
  }
  const sql = withSettings(query ?? body.toString(), settings);
  const bound = Object.fromEntries(
    [...parameters]
      .filter(([name]) => name.startsWith("param_"))
      .map(([name, value]) => [name.slice("param_".length), parseParameter(value)]),
  );
  const format = { format: parameters.get("default_format") ?? "TabSeparated" };
  const result =
    Object.keys(bound).length === 0
      ? await session.queryAsync(sql, format)
      : await session.queryBindAsync(sql, bound, format);
  return result.bytes();
}

function withSettings(sql: string, settings: Record<string, string>): string {
  if (!/^\s*(SELECT|DELETE)/i.test(sql)) return sql;
  const list = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
  return list.length === 0 ? sql : `${sql} SETTINGS ${list.join(", ")}`;
}

/** What the client writes as a parameter: escaped text, or a list of quoted ones. */
function parseParameter(text: string): string | string[] {
  if (!text.startsWith("[")) return unescaped(text);
  return [...text.matchAll(/'((?:[^'\\]|\\.)*)'/gs)].map(([, element]) => unescaped(element!));
}

function unescaped(text: string): string {
  const letters: Record<string, string> = { t: "\t", n: "\n", r: "\r" };
  return text.replaceAll(/\\(.)/gs, (_, letter: string) => letters[letter] ?? letter);
}
