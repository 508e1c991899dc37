// A server whose MCP endpoint has the tools, resources and prompts that the scenarios of @modelcontextprotocol/conformance
// ask for, over Findling's own transport: run by .ci/mcp-conformance.mjs. Prints its URL, and ends with its input.
import {
  type McpServer,
  type PromptMessage,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import pino from "pino";
import { routeHandlers } from "../../src/http/routes/route-handlers.js";
import { HttpServer } from "../../src/http/server/http-server.js";
import { McpEndpoint, type Sdk } from "../../src/mcp/mcp-endpoint.js";
import { ServiceHarness, TEST_OPTIONS } from "../kit/service-harness.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const image = { type: "image", data: PNG, mimeType: "image/png" } as const;
const text = (words: string) => ({ type: "text", text: words }) as const;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } },
  },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
} as const;

function suiteServer(sdk: Sdk): McpServer {
  const server = new sdk.McpServer(
    { name: "conformance", version: "1.0.0" },
    { capabilities: { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} } },
  );
  addTools(server, sdk);
  addResources(server);
  addPrompts(server, sdk);
  return server;
}

function addTools(server: McpServer, sdk: Sdk): void {
  const tool = (
    name: string,
    run: (
      context: ServerContext,
    ) => Promise<{ content: never[]; isError?: true }> | { content: unknown[]; isError?: true },
    schema: Parameters<Sdk["fromJsonSchema"]>[0] = { type: "object" },
  ): void => {
    const inputSchema = sdk.fromJsonSchema<Record<string, unknown>>(schema);
    server.registerTool(
      name,
      { description: `the suite's ${name}`, inputSchema },
      async (_args, context) => (await run(context)) as never,
    );
  };
  tool("test_simple_text", () => ({ content: [text("This is a simple text response for testing.")] }));
  tool("test_image_content", () => ({ content: [image] }));
  tool("test_audio_content", () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }));
  const embedded = {
    uri: "test://embedded-resource",
    mimeType: "text/plain",
    text: "This is an embedded resource content.",
  };
  tool("test_embedded_resource", () => ({ content: [{ type: "resource", resource: embedded }] }));
  const mixed = {
    uri: "test://mixed-content-resource",
    mimeType: "application/json",
    text: '{"test":"data","value":123}',
  };
  tool("test_multiple_content_types", () => ({
    content: [text("Multiple content types test:"), image, { type: "resource", resource: mixed }],
  }));
  tool("test_error_handling", () => ({
    isError: true,
    content: [text("This tool intentionally returns an error for testing")],
  }));
  tool("json_schema_2020_12_tool", () => ({ content: [text("done")] }), SCHEMA_2020_12);
  tool("test_tool_with_logging", async ({ mcpReq }) => {
    await mcpReq.log("info", "Tool execution started");
    await pause();
    await mcpReq.log("info", "Tool processing data");
    await pause();
    await mcpReq.log("info", "Tool execution completed");
    return { content: [text("logged")] } as never;
  });
  tool("test_tool_with_progress", async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      await pause();
    }
    return { content: [text("progressed")] } as never;
  });
}

function addResources(server: McpServer): void {
  const plain = { description: "a text", mimeType: "text/plain" };
  server.registerResource("static-text", "test://static-text", plain, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  const binary = { description: "an image", mimeType: "image/png" };
  server.registerResource("static-binary", "test://static-binary", binary, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: PNG }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  const json = { description: "by id", mimeType: "application/json" };
  server.registerResource("template", template, json, ({ href: uri }, { id }) => ({
    contents: [
      {
        uri,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
}

function addPrompts(server: McpServer, sdk: Sdk): void {
  const says = (content: PromptMessage["content"]): { messages: PromptMessage[] } => ({
    messages: [{ role: "user", content }],
  });
  const named = (properties: readonly string[]) =>
    sdk.fromJsonSchema<Record<string, string>>({
      type: "object",
      properties: Object.fromEntries(properties.map((name) => [name, { type: "string" }])),
      required: [...properties],
    });
  server.registerPrompt("test_simple_prompt", { description: "simple" }, () =>
    says(text("This is a simple prompt for testing.")),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "with arguments", argsSchema: named(["arg1", "arg2"]) },
    ({ arg1, arg2 }) => says(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "with a resource", argsSchema: named(["resourceUri"]) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: {
              uri: resourceUri!,
              mimeType: "text/plain",
              text: "Embedded resource content for testing.",
            },
          },
        },
        { role: "user", content: text("Please process the embedded resource above.") },
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "with an image" }, () => ({
    messages: [
      { role: "user", content: image },
      { role: "user", content: text("Please analyze the image above.") },
    ],
  }));
  server.server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park", "party"], total: 3, hasMore: false },
  }));
}

const harness = await ServiceHarness.open({ keys: { ...TEST_OPTIONS.keys, authenticationEnabled: false } });
const { services } = harness;
const http = await HttpServer.create({
  keys: services.keys,
  handlers: routeHandlers(services, { endpoint: new McpEndpoint(suiteServer), origins: ["*"] }),
  logger: pino({ level: "silent" }),
  metrics: services.metrics,
  tracing: services.tracing,
  corsOrigins: ["*"],
  trustedProxies: [],
  bodyLimits: { documents: 1 << 20, standard: 1 << 20 },
  bodiesBytesMax: 1 << 24,
  answersBytesMax: 1 << 24,
  timers: { now: () => performance.now(), after: () => ({ cancel: () => undefined }) },
  tls: null,
  hasConsole: false,
  manual: { search: () => Promise.resolve([]), close: () => Promise.resolve() },
  version: "0.0.0",
});
const { port } = await http.listen("127.0.0.1", 0);
process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
process.stdin.resume().once("end", () => {
  void http
    .stop(1_000)
    .then(() => harness.close())
    .then(() => process.exit(0));
});
