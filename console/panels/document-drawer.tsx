import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { type Document, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy-button.js";
import { ConfirmLoss, Dialog } from "../ui/dialog.js";
import { Failure, Loading } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const JsonEditor = lazy(() => import("../ui/json-editor.js"));
const text = texts.documents;

/** Longer documents are shown without colours and numbers. */
const EDITED_MAX = 400_000;

/** A document as it is stored; whoever may write can change or delete it. */
export default function DocumentDrawer({
  index,
  documentId,
  document,
  onClose,
}: {
  readonly index: string;
  readonly documentId: string;
  /** As the list has it, for keys that may not read single documents. */
  readonly document: Document;
  readonly onClose: () => void;
}) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const [edited, setEdited] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const whole = useQuery({
    queryKey: ["document", index, documentId],
    enabled: may.write,
    queryFn: async ({ signal }) => (await client.getDocument(index, documentId, { signal })).doc as Document,
  });
  const shown = may.write ? whole.data : document;
  const written = shown === undefined ? "" : JSON.stringify(shown, null, 2);
  const name = typeof shown?.["id"] === "string" ? shown["id"] : documentId;

  const save = useMutation({
    mutationFn: async () => {
      const next = parsedObject(edited ?? written);
      // The new one first: if it is refused, nothing is lost.
      await client.addDocuments(index, [next]);
      // Where the index has a primary key, it has taken the old one's place already.
      await client.deleteDocument(index, documentId).catch((error: unknown) => {
        if ((error as { code?: string }).code !== "document_not_found") throw error;
      });
    },
    onSuccess: async () => {
      say({ kind: "done", text: text.added(1) });
      await refresh(documentId);
      onClose();
    },
  });
  const remove = useMutation({
    mutationFn: () => client.deleteDocument(index, documentId),
    onSuccess: async () => {
      say({ kind: "done", text: text.deleted(1) });
      await refresh(documentId);
      onClose();
    },
  });

  return (
    <Dialog size="side" title={`${text.document} ${name}`} isOpen onClose={onClose}>
      {whole.error !== null && <Failure error={whole.error} />}
      {shown === undefined ? (
        whole.error === null && <Loading />
      ) : written.length > EDITED_MAX ? (
        <pre className="code">{written}</pre>
      ) : (
        <Suspense fallback={<Loading />}>
          <JsonEditor label={text.document} value={written} isReadOnly={!may.write} onChange={setEdited} />
        </Suspense>
      )}
      {edited !== undefined && edited !== written && <p className="hint">{text.editHint}</p>}
      <div className="actions">
        <CopyButton text={written} />
        {may.write && (
          <Button icon="trash" onClick={() => setDeleting(true)}>
            {text.delete}
          </Button>
        )}
        {may.write && edited !== undefined && edited !== written && (
          <Button kind="main" isBusy={save.isPending} onClick={() => save.mutate()}>
            {text.saveEdit}
          </Button>
        )}
      </div>
      <ConfirmLoss
        title={text.delete}
        loss={text.deleteOne(name)}
        name={name}
        action={text.delete}
        isOpen={isDeleting}
        isBusy={remove.isPending}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutate()}
      />
    </Dialog>
  );
}

/** @throws Error in words for people */
function parsedObject(json: string): Document {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(text.notJson((error as Error).message));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(text.notObject);
  return value as Document;
}
