import type { SearchBody } from "../../src/client/index.js";
import type { Target } from "./queries.js";

export type CodeLanguage = "json" | "curl" | "typescript" | "php" | "python";
export const CODE_LANGUAGES: readonly CodeLanguage[] = ["json", "curl", "typescript", "php", "python"];

/** Stands for the key, which isn't shown. */
const KEY = "FINDLING_READ_KEY";

/** A search as somebody would send it in a language; the key is taken from the environment. */
export function requestCode(
  language: CodeLanguage,
  origin: string,
  target: Target,
  body: SearchBody,
): string {
  const path = `/${target.kind}/${encodeURIComponent(target.name)}/search`;
  const json = JSON.stringify(body, null, 2);
  switch (language) {
    case "json":
      return json;
    case "curl":
      return `curl -X POST '${origin}${path}' \\\n  -H "Authorization: $${KEY}" -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
    case "typescript":
      return `import { FindlingClient } from "findling/client";\n\nconst client = new FindlingClient({ url: ${JSON.stringify(origin)}, key: process.env.${KEY} });\nconst { hits, count } = await client.${target.kind === "index" ? "searchIndex" : "searchFederation"}(${JSON.stringify(target.name)}, ${json});`;
    case "php":
      return `<?php\n$request = curl_init(${JSON.stringify(origin + path)});\ncurl_setopt_array($request, [\n    CURLOPT_POST => true,\n    CURLOPT_RETURNTRANSFER => true,\n    CURLOPT_HTTPHEADER => ['Authorization: ' . getenv('${KEY}'), 'Content-Type: application/json'],\n    CURLOPT_POSTFIELDS => <<<'JSON'\n${json}\nJSON,\n]);\n$hits = json_decode(curl_exec($request), true)['data']['hits'];`;
    case "python":
      return `import json, os, urllib.request\n\nrequest = urllib.request.Request(\n    ${JSON.stringify(origin + path)},\n    method="POST",\n    headers={"Authorization": os.environ["${KEY}"], "Content-Type": "application/json"},\n    data=json.dumps(json.loads(${JSON.stringify(JSON.stringify(body))})).encode(),\n)\nwith urllib.request.urlopen(request) as answer:\n    hits = json.load(answer)["data"]["hits"]`;
  }
}
