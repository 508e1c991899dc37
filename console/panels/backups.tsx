import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { BackupSummary } from "../../src/client/index.js";
import { useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { SelectField, TextField } from "../ui/field.js";
import { FormDialog } from "../ui/form-dialog.js";
import { formatBytes, formatNumber } from "../ui/format.js";
import { Instant } from "../ui/instant.js";
import { Empty, Failure, Loading, Notice } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const text = texts.backups;

/** Making, reading and restoring one may take long. */
const PATIENCE_MS = 3_600_000;

/** Backups: made, verified, and an index of one restored under another name. */
export function Backups() {
  const { client } = useSession();
  const refresh = useRefresh();
  const [restored, setRestored] = useState<BackupSummary>();
  const { data, error } = useQuery({
    queryKey: ["backups"],
    queryFn: ({ signal }) => client.listBackups({ signal }),
  });
  const make = useMutation({
    mutationFn: () => client.createBackup({ timeoutMs: PATIENCE_MS }),
    onSuccess: async ({ indexes }) => {
      say({ kind: "done", text: text.made(indexes.length) });
      await refresh();
    },
  });
  const verify = useMutation({
    mutationFn: (id: string) => client.verifyBackup(id, { timeoutMs: PATIENCE_MS }),
    onSuccess: ({ sound, checked_bytes: checked, problems }) =>
      say(
        sound
          ? { kind: "done", text: text.sound(formatBytes(checked)) }
          : {
              kind: "error",
              text: text.damaged(problems.map(({ file, problem }) => `${file}: ${problem}`).join("; ")),
            },
      ),
  });
  if (error !== null)
    return isNotConfigured(error) ? <Empty title={error.message} /> : <Failure error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <div className="stack">
      <div className="row">
        <p className="hint grow">
          {data.next_at !== undefined && (
            <>
              {text.next} <Instant at={data.next_at} isExact />
            </>
          )}
        </p>
        <Button kind="main" isBusy={make.isPending || data.running} onClick={() => make.mutate()}>
          {text.make}
        </Button>
      </div>
      {data.damaged.map(({ id, problem }) => (
        <Notice key={id} kind="warning">
          <div>
            {id}: {problem}
          </div>
        </Notice>
      ))}
      {data.backups.length === 0 && <Empty title={text.none} />}
      {data.backups.map((backup) => (
        <section key={backup.id} className="card stack-tight">
          <div className="row">
            <h2 className="grow">
              <Instant at={backup.created_at} isExact />
            </h2>
            <Button
              size="small"
              isBusy={verify.isPending && verify.variables === backup.id}
              onClick={() => verify.mutate(backup.id)}
            >
              {text.verify}
            </Button>
            <Button size="small" onClick={() => setRestored(backup)}>
              {text.restore}
            </Button>
          </div>
          <p className="hint">
            {text.holds(
              backup.indexes.length,
              formatNumber(backup.indexes.reduce((sum, { document_count: count }) => sum + count, 0)),
              formatBytes(backup.total_bytes),
            )}
          </p>
          {backup.failed.map(({ index, problem }) => (
            <p key={index} className="hint-error">
              {index}: {problem}
            </p>
          ))}
        </section>
      ))}
      {restored !== undefined && <Restore backup={restored} onClose={() => setRestored(undefined)} />}
    </div>
  );
}

function isNotConfigured(error: Error): boolean {
  return (error as { code?: string }).code === "backup_not_configured";
}

function Restore({ backup, onClose }: { readonly backup: BackupSummary; readonly onClose: () => void }) {
  const { client } = useSession();
  const refresh = useRefresh();
  const [index, setIndex] = useState(backup.indexes[0]?.name ?? "");
  const [name, setName] = useState(`${backup.indexes[0]?.name ?? ""}-restored`);
  const restore = useMutation({
    mutationFn: () => client.restoreIndex(backup.id, { index, as: name.trim() }, { timeoutMs: PATIENCE_MS }),
    onSuccess: async ({ index: made, document_count: count, missing }) => {
      say({ kind: "done", text: [text.restored(made, formatNumber(count)), ...missing].join(" ") });
      onClose();
      await refresh();
    },
  });
  return (
    <FormDialog
      title={text.restore}
      action={text.restore}
      deed={restore}
      isComplete={name.trim() !== ""}
      onClose={onClose}
    >
      <SelectField
        label={texts.index}
        value={index}
        onChange={(event) => {
          setIndex(event.target.value);
          setName(`${event.target.value}-restored`);
        }}
      >
        {backup.indexes.map((each) => (
          <option key={each.name}>{each.name}</option>
        ))}
      </SelectField>
      <TextField label={text.as} value={name} onChange={(event) => setName(event.target.value)} />
    </FormDialog>
  );
}
