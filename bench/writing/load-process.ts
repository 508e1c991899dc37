import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { answerCommands } from "../summaries/part.js";

export interface LoadCommand {
  /** Base URL of the index. */
  readonly url: string;
  readonly key: string;
  /** Packed lines of JSON, repeated until there are enough documents. */
  readonly corpus: string;
  readonly from: number;
  readonly to: number;
  readonly batch: number;
  readonly connections: number;
  /** Documents between two commits; 0 for one at the end. */
  readonly commitEvery: number;
}

export interface LoadResult {
  /** Seconds after the beginning at which so many documents had been acknowledged, ascending. */
  readonly progress: readonly { readonly seconds: number; readonly documents: number }[];
  readonly bytes: number;
  /** Answers that asked to come again. */
  readonly refused: number;
  readonly commitMs: readonly number[];
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const lines = new Map<string, readonly string[]>();

answerCommands(async (command: LoadCommand): Promise<LoadResult> => {
  const { from, to, batch, connections, commitEvery } = command;
  const corpus = linesOf(command.corpus);
  const progress: { seconds: number; documents: number }[] = [];
  const commitMs: number[] = [];
  let [next, acknowledged, bytes, refused, sinceCommit] = [from, 0, 0, 0, 0];
  const start = performance.now();
  const send = async (): Promise<void> => {
    while (next < to) {
      const first = next;
      next = Math.min(next + batch, to);
      const documents = [];
      for (let i = first; i < next; i++) documents.push(corpus[i % corpus.length]!);
      const body = `[${documents.join(",")}]`;
      while ((await ask(command, "POST", "/documents", body)) === 429) {
        refused++;
        await pause(100);
      }
      bytes += body.length;
      acknowledged += documents.length;
      sinceCommit += documents.length;
      progress.push({ seconds: (performance.now() - start) / 1000, documents: acknowledged });
      if (commitEvery > 0 && sinceCommit >= commitEvery) {
        sinceCommit = 0;
        commitMs.push(await commit(command));
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
  commitMs.push(await commit(command));
  return { progress, bytes, refused, commitMs };
});

async function commit(command: LoadCommand): Promise<number> {
  const start = performance.now();
  await ask(command, "POST", "/commit", "");
  return performance.now() - start;
}

function ask({ url, key }: LoadCommand, method: string, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, {
      method,
      agent,
      headers: {
        authorization: key,
        ...(body === "" ? {} : { "content-type": "application/json" }),
        "content-length": Buffer.byteLength(body),
      },
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      const { statusCode = 0 } = response;
      let text = "";
      response.on("data", (chunk: Buffer) => {
        if (statusCode >= 300) text += chunk.toString();
      });
      response.once("end", () => {
        if (statusCode < 300 || statusCode === 429) resolve(statusCode);
        else reject(new Error(`${path} was answered with ${statusCode}: ${text}`));
      });
    });
    sent.end(body);
  });
}

function linesOf(file: string): readonly string[] {
  let known = lines.get(file);
  if (known === undefined) {
    known = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
    lines.set(file, known);
  }
  return known;
}
