// Properties: sockets of a server can be read into one buffer on this version of Node, whatever comes arrives whole and
// in order, and a socket that is given back gives `data` events as if nothing had happened.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SharedReading } from "./shared-reading.js";

let server: Server;
let reading: SharedReading;
beforeEach(async () => {
  reading = new SharedReading();
  server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.close();
});

async function pair(): Promise<{ readonly client: Socket; readonly accepted: Socket }> {
  const arrived = once(server, "connection") as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [accepted] = await arrived;
  return { client, accepted };
}

function collect(accepted: Socket): { text: string } {
  const seen = { text: "" };
  const isShared = reading.begin(accepted, (length, buffer) => {
    seen.text += buffer.toString("latin1", 0, length);
  });
  expect(isShared).toBe(true);
  return seen;
}

test("several sockets share a buffer, and pieces longer than it arrive whole", async () => {
  const pairs = [await pair(), await pair()];
  const seen = pairs.map(({ accepted }) => collect(accepted));
  const texts = ["a", "b"].map((letter) => letter.repeat(200_000));
  for (const [i, { client }] of pairs.entries()) client.end(texts[i]!);
  await Promise.all(pairs.map(({ accepted }) => once(accepted, "end")));
  expect(seen.map(({ text }) => text)).toEqual(texts);
  for (const { accepted } of pairs) accepted.destroy();
});

test("a paused socket is read on once it is resumed", async () => {
  const { client, accepted } = await pair();
  const seen = collect(accepted);
  accepted.pause();
  client.write("later");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(seen.text).toBe("");
  accepted.resume();
  await expect.poll(() => seen.text).toBe("later");
  accepted.destroy();
});

test("a socket that is given back gives data events, in buffers of their own", async () => {
  const { client, accepted } = await pair();
  const seen = collect(accepted);
  client.write("shared");
  await expect.poll(() => seen.text).toBe("shared");
  reading.end(accepted);
  const pieces: Buffer[] = [];
  accepted.on("data", (bytes: Buffer) => pieces.push(bytes));
  for (const text of ["first", "second"]) {
    client.write(text);
    await expect.poll(() => Buffer.concat(pieces).toString()).toMatch(new RegExp(`${text}$`));
  }
  client.end();
  await once(accepted, "end");
  expect(Buffer.concat(pieces).toString()).toBe("firstsecond");
  expect(seen.text).toBe("shared");
  accepted.destroy();
});
