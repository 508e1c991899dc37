// The server inside another program: the same that `findling serve` starts.
import { loadConfiguration, startServer } from "findling";

const server = await startServer(
  loadConfiguration({
    env: {},
    flags: { port: 0, dataDir: process.argv[2] ?? "server-data", logLevel: "error" },
  }),
);
for (const { name, key } of server.createdKeys) {
  // A program of yours would put them where only it can read them.
  console.log(`key '${name}' has ${key.length} characters`);
}
const answer = await fetch(`${server.url}/healthcheck`);
console.log(await answer.json());
await server.stop();
