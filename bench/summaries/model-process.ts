import { setTimeout as pause } from "node:timers/promises";
import { type ChatReply, FakeChatServer } from "../../tests/kit/fake-chat-server.js";
import { answerCommands } from "./part.js";

/** How the model speaks where it speaks. */
export interface ModelPace {
  readonly pieces: number;
  readonly pieceCharacters: number;
  readonly everyMs: number;
}

/** First folder of the model's base URL, which says how it behaves. */
export const MODEL_MOODS = ["steady", "silent", "busy", "resetting"] as const;
export type ModelMood = (typeof MODEL_MOODS)[number];

/** Every piece begins with the time at which it was said, so that readers see how long it was on its way. */
async function speak(reply: ChatReply, { pieces, pieceCharacters, everyMs }: ModelPace): Promise<void> {
  let isGone = false;
  void reply.closed.then(() => (isGone = true));
  const start = performance.now();
  for (let piece = 0; piece < pieces && !isGone; piece++) {
    await pause(Math.max(0, start + piece * everyMs - performance.now()));
    await reply.say(
      `${Date.now()} plain words of text`.slice(0, pieceCharacters - 1).padEnd(pieceCharacters),
    );
  }
  reply.finish();
}

const server = await FakeChatServer.start();

answerCommands(async (pace: ModelPace) => {
  server.answer = (reply) => {
    // What was asked is not kept.
    server.replies.length = 0;
    switch (reply.request.path.split("/")[1] as ModelMood) {
      case "silent":
        return;
      case "busy":
        return reply.refuse(429, "{}");
      case "resetting":
        return reply.reset();
      case "steady":
        return speak(reply, pace);
    }
  };
  return server.origin;
});
