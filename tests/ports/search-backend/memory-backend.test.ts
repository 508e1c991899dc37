/** The port's suite on the double that tests of services stand on. */
import { MemoryBackend } from "../../kit/memory-backend.js";
import { searchBackendSuite } from "./search-backend-suite.js";

searchBackendSuite({
  name: "double in memory",
  async open() {
    const backend = new MemoryBackend();
    await backend.start([]);
    return {
      backend,
      async restart(indexes) {
        await backend.stop();
        await backend.start(indexes);
      },
      close: () => backend.stop(),
    };
  },
  exceptions: {
    "explanations without details": "the oracle computes a score as one number",
    "space unknown": "its documents lie on no disk",
  },
});
