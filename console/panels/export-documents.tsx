import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { writeJson } from "../../src/client/exact-json.js";
import type { Document } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { saveFile } from "../ui/download.js";
import { formatNumber } from "../ui/format.js";
import { say } from "../ui/toasts.js";

const text = texts.documents;
const TYPE = "application/x-ndjson";

/** Has the browser save all documents that match, one a line; says how far it is, and stops when it is told to. */
export function ExportDocuments({ index, ctx }: { readonly index: string; readonly ctx: string }) {
  const { client, caller } = useSession();
  const [progress, setProgress] = useState({ done: 0, count: 0 });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const download = useMutation({
    mutationFn: async () => {
      const { signal } = (running.current = new AbortController());
      // Blobs are the browser's, which keeps long ones on the disk.
      const pages: Blob[] = [];
      let done = 0;
      try {
        let page = await client.searchIndex<Document>(
          index,
          { query: { exact: { ctx } }, limit: caller.max_result_limit, cursor: true, facets: false },
          { signal },
        );
        const { count } = page;
        for (;;) {
          pages.push(new Blob(page.hits.map(({ doc }) => `${writeJson(doc)}\n`)));
          done += page.hits.length;
          setProgress({ done, count });
          if (page.cursor === undefined) break;
          page = await client.searchIndex<Document>(index, { cursor: page.cursor }, { signal });
        }
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      }
      saveFile(`${index}.ndjson`, new Blob(pages, { type: TYPE }));
      return done;
    },
    onSuccess: (done) => {
      if (done !== null) say({ kind: "done", text: text.exported(formatNumber(done)) });
    },
    onSettled: () => setProgress({ done: 0, count: 0 }),
  });
  return download.isPending ? (
    <>
      <Button key="stop" onClick={() => running.current?.abort()}>
        {text.stopExport}
      </Button>
      <span className="soft" role="status">
        {text.exporting(formatNumber(progress.done), formatNumber(progress.count))}
      </span>
    </>
  ) : (
    <Button key="export" icon="download" onClick={() => download.mutate()}>
      {text.export}
    </Button>
  );
}
