import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { readJson, writeJson } from "../../src/client/exact-json.js";
import { documentChanges } from "../api/document-changes.js";
import { type Document, useIndexView, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy-button.js";
import { ConfirmLoss, Dialog } from "../ui/dialog.js";
import { Icon } from "../ui/icon.js";
import { Failure, Loading, Notice } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const JsonEditor = lazy(() => import("../ui/json-editor.js"));
const text = texts.documents;

/** Longer documents are shown without colours and numbers. */
const EDITED_MAX = 400_000;

/** A document as it is stored; whoever may write can change or delete it, as long as nobody else has changed it since. */
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
    queryFn: ({ signal }) => client.getDocument(index, documentId, { signal, version: true }),
  });
  const { data: view } = useIndexView(index);
  const shown = may.write ? (whole.data?.doc as Document | undefined) : document;
  const version = whole.data?.version;
  const written = shown === undefined ? "" : writeJson(shown, 2);
  const name = typeof shown?.["id"] === "string" ? shown["id"] : documentId;

  const save = useMutation({
    mutationFn: async () => {
      const next = parsedObject(edited ?? written);
      const changes = documentChanges(shown ?? {}, next, view && Object.keys(view.fields));
      await client.updateDocuments(index, { ...changes, _id: documentId, _version: version });
    },
    onSuccess: async () => {
      say({ kind: "done", text: text.changed });
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

  const isConflict = (save.error as { code?: string } | null)?.code === "version_conflict";
  const loadAgain = async () => {
    await whole.refetch();
    setEdited(undefined);
    save.reset();
  };

  return (
    <Dialog size="side" title={`${text.document} ${name}`} isOpen onClose={onClose}>
      {whole.error !== null && <Failure error={whole.error} />}
      {shown === undefined ? (
        whole.error === null && <Loading />
      ) : written.length > EDITED_MAX ? (
        <pre className="code">{written}</pre>
      ) : (
        <Suspense fallback={<Loading />}>
          <JsonEditor
            key={version}
            label={text.document}
            value={written}
            isReadOnly={!may.write}
            onChange={setEdited}
          />
        </Suspense>
      )}
      {isConflict ? (
        <Notice kind="warning">
          <Icon name="alert" />
          <div className="stack-tight">
            <p>{text.conflict}</p>
            <div className="actions">
              <CopyButton text={edited ?? written} label={text.copyMine} />
              <Button onClick={() => void loadAgain()}>{text.loadAgain}</Button>
            </div>
          </div>
        </Notice>
      ) : (
        save.error !== null && <Failure error={save.error} />
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
    value = readJson(json);
  } catch (error) {
    throw new Error(text.notJson((error as Error).message));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(text.notObject);
  return value as Document;
}
