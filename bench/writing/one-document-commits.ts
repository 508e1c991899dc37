import { KEY, type ServerUnderTest } from "../summaries/server-under-test.js";

export interface CommitTimes {
  readonly add: readonly number[];
  readonly commit: readonly number[];
  readonly search: readonly number[];
  /** From the document's sending to the answer of the search that found it. */
  readonly visible: readonly number[];
}

let made = 0;

/** Adds a document, commits it, and searches for it, so many times, or until it is enough. */
export async function commitOneByOne(
  server: ServerUnderTest,
  index: string,
  count: number,
  isEnough: () => boolean = () => false,
): Promise<CommitTimes> {
  const times = {
    add: [] as number[],
    commit: [] as number[],
    search: [] as number[],
    visible: [] as number[],
  };
  for (let i = 0; i < count && !isEnough(); i++) {
    const word = `lonely${process.pid}x${made++}`;
    const start = performance.now();
    await ask(server, `/index/${index}/documents`, [
      { id: word, name: word, title: "one document", description: word },
    ]);
    const added = performance.now();
    await ask(server, `/index/${index}/commit`, undefined);
    const committed = performance.now();
    const { count: found } = await ask(server, `/index/${index}/search`, {
      query: { exact: { ctx: `name:${word}` } },
    });
    const end = performance.now();
    if (found !== 1) throw new Error(`'${word}' was committed, and found ${found} times`);
    times.add.push(added - start);
    times.commit.push(committed - added);
    times.search.push(end - committed);
    times.visible.push(end - start);
  }
  return times;
}

async function ask(server: ServerUnderTest, path: string, body: unknown): Promise<{ count: number }> {
  for (;;) {
    const response = await fetch(server.url + path, {
      method: "POST",
      headers: { authorization: KEY, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return (JSON.parse(text) as { data: { count: number } }).data;
    if (response.status !== 429) throw new Error(`${path} was answered with ${response.status}: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
