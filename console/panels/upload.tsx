import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useRefresh } from "../api/queries.js";
import { type BadRecord, type ReadFile, readFile } from "../api/read-file.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { FileButton } from "../ui/file-button.js";
import { formatNumber } from "../ui/format.js";
import { Failure } from "../ui/states.js";
import { say } from "../ui/toasts.js";
import { fieldsOf, type NamedField, namedField, SchemaEditor } from "./schema-editor.js";

const text = texts.documents;

/** Documents that one request takes along, and bad records that are named. */
const BATCH = 1_000;
const BAD_SHOWN = 100;

/** A file that is dropped becomes documents of an index, or a new one. */
export function Upload({
  index,
  onDone,
}: {
  readonly index: string | undefined;
  readonly onDone: (index: string) => void;
}) {
  const { may } = useSession();
  const [isOver, setOver] = useState(false);
  const [reading, setReading] = useState<string>();
  const [file, setFile] = useState<ReadFile>();
  const [problem, setProblem] = useState<Error>();
  const take = async (taken: File | undefined) => {
    setOver(false);
    if (taken === undefined) return;
    setReading(taken.name);
    setProblem(undefined);
    try {
      const next = await readFile(taken);
      if (next.documents.length === 0 && next.bad.length === 0) throw new Error(text.empty);
      setFile(next);
    } catch (error) {
      setProblem(new Error(text.unreadable((error as Error).message)));
    } finally {
      setReading(undefined);
    }
  };
  return (
    <section className="stack">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same. */}
      <div
        className={isOver ? "drop drop-over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          void take(event.dataTransfer.files[0]);
        }}
      >
        <span>{reading === undefined ? text.dropHere : text.reading(reading)}</span>
        <FileButton
          label={text.upload}
          accept=".json,.jsonl,.ndjson,.csv,.tsv"
          isBusy={reading !== undefined}
          onFile={(chosen) => void take(chosen)}
        />
      </div>
      {problem !== undefined && <Failure error={problem} />}
      {file !== undefined && (
        <UploadPlan
          key={file.name}
          file={file}
          index={index}
          mayCreate={may.createIndexes}
          onDone={(name) => {
            setFile(undefined);
            onDone(name);
          }}
          onCancel={() => setFile(undefined)}
        />
      )}
    </section>
  );
}

function UploadPlan({
  file,
  index,
  mayCreate,
  onDone,
  onCancel,
}: {
  readonly file: ReadFile;
  readonly index: string | undefined;
  readonly mayCreate: boolean;
  readonly onDone: (index: string) => void;
  readonly onCancel: () => void;
}) {
  const { client } = useSession();
  const refresh = useRefresh();
  const [isNew, setNew] = useState(index === undefined);
  const [name, setName] = useState(() => indexNameOf(file.name));
  const [fields, setFields] = useState<readonly NamedField[]>(() =>
    Object.entries(file.fields).map(([field, draft]) => namedField(field, draft)),
  );
  const [sent, setSent] = useState(0);
  const { documents, bad } = file;
  const target = isNew ? name.trim() : index!;
  const upload = useMutation({
    mutationFn: async () => {
      if (isNew) await client.createIndex({ name: target, fields: fieldsOf(fields) });
      for (let at = 0; at < documents.length; at += BATCH) {
        await client.addDocuments(target, documents.slice(at, at + BATCH), { timeoutMs: 120_000 });
        setSent(Math.min(documents.length, at + BATCH));
      }
      // Nobody else writes to an index that has just been made.
      if (isNew) await client.commitIndex(target);
    },
    onSuccess: async () => {
      say({
        kind: "done",
        text: isNew ? text.uploadDone(formatNumber(documents.length)) : text.added(documents.length),
      });
      await refresh();
      onDone(target);
    },
  });
  return (
    <section className="card stack">
      <div className="row">
        <h2 className="grow">{file.name}</h2>
        <span className="badge">{text.uploadFound(formatNumber(documents.length), file.format)}</span>
      </div>
      <BadRecords bad={bad} />
      {index !== undefined && mayCreate && (
        <div className="row">
          <label className="row">
            <input type="radio" name="upload-target" checked={!isNew} onChange={() => setNew(false)} />
            {text.uploadTo(index)}
          </label>
          <label className="row">
            <input type="radio" name="upload-target" checked={isNew} onChange={() => setNew(true)} />
            {texts.overview.create}
          </label>
        </div>
      )}
      {isNew && (
        <>
          <TextField
            label={text.newIndexName}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <div>
            <h3>{text.schema}</h3>
            <p className="hint">{text.schemaHint}</p>
          </div>
          <SchemaEditor fields={fields} onChange={setFields} />
        </>
      )}
      {upload.error !== null && <Failure error={upload.error} />}
      {upload.isPending && (
        <div role="status">
          <progress className="progress" max={documents.length} value={sent} aria-label={text.upload} />
          <p className="hint">{text.sent(formatNumber(sent), formatNumber(documents.length))}</p>
        </div>
      )}
      <div className="actions">
        <Button onClick={onCancel} disabled={upload.isPending}>
          {texts.cancel}
        </Button>
        <Button
          kind="main"
          icon="upload"
          isBusy={upload.isPending}
          disabled={documents.length === 0 || target === ""}
          onClick={() => upload.mutate()}
        >
          {isNew ? text.createAndUpload : text.uploadTo(target)}
        </Button>
      </div>
    </section>
  );
}

function BadRecords({ bad }: { readonly bad: readonly BadRecord[] }) {
  if (bad.length === 0) return null;
  return (
    <details className="fold">
      <summary className="hint-error">{text.badLines(bad.length)}</summary>
      <ul className="mono">
        {bad.slice(0, BAD_SHOWN).map(({ record, problem }) => (
          <li key={record}>{text.badLine(record, problem)}</li>
        ))}
      </ul>
    </details>
  );
}

/** Index names are lower case, with digits, dashes and underscores. */
function indexNameOf(fileName: string): string {
  return (
    fileName
      .replace(/\.[^.]*$/, "")
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, "-")
      .replace(/^-+|-+$/g, "") || "documents"
  );
}
