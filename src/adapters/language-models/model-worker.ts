/** The thread that speaks with language models (docs/adr/0017): the SDK, its streams, and its guarded fetch. */
import { parentPort, workerData } from "node:worker_threads";
import { AiSdkLanguageModels } from "./ai-sdk-language-models.js";
import type { BaseUrlRules } from "./base-url.js";
import type { ModelOrder } from "./model-messages.js";
import { RunningAnswers } from "./running-answers.js";

const port = parentPort;
if (port === null) throw new Error("model-worker runs as a worker thread only");

const answers = new RunningAnswers(new AiSdkLanguageModels(workerData as BaseUrlRules), (updates) =>
  port.postMessage(updates),
);
port.on("message", (order: ModelOrder) => answers.obey(order));
