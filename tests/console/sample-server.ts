import { loadEvents } from "../../src/cli/demo/events/load-events.js";
import { loadSample } from "../../src/cli/demo/load-sample.js";
import { FindlingClient } from "../../src/client/index.js";
import { ADMIN, WireServer, type WireSettings } from "../wire/wire-server.js";

/** A server with the sample in the index `packages` and a month of its use. */
export async function startSampleServer(settings: WireSettings = {}): Promise<WireServer> {
  const server = await WireServer.start(settings);
  const client = new FindlingClient({ url: server.running.url, key: ADMIN });
  await loadSample(client, "packages", { reset: false });
  await loadEvents(client, "packages");
  return server;
}
