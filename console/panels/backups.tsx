import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { BackupSummary, RestoreProgress } from "../../src/client/index.js";
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

/** Making and reading one may take long. */
const PATIENCE_MS = 3_600_000;

/** How often what is going on is looked at. */
const EVERY_MS = 1_000;

/** Backups: made, verified, and an index of one restored under another name. */
export function Backups() {
  const { client } = useSession();
  const refresh = useRefresh();
  const [restored, setRestored] = useState<BackupSummary>();
  const { data, error } = useQuery({
    queryKey: ["backups"],
    queryFn: ({ signal }) => client.listBackups({ signal }),
    refetchInterval: ({ state }) =>
      state.data?.running === true || state.data?.restores?.some(isRunning) === true ? EVERY_MS : false,
  });
  // What was restored is an index that the other pages don't know of.
  const done = data?.restores?.filter(({ state }) => state === "done").length ?? 0;
  useEffect(() => {
    if (done > 0) void refresh();
  }, [done, refresh]);
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
      {data.restores?.map((restore) => (
        <Restored key={`${restore.as} ${restore.begun_at}`} restore={restore} />
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
            <p key={index ?? problem} className="hint-error">
              {index === null ? problem : `${index}: ${problem}`}
            </p>
          ))}
        </section>
      ))}
      {restored !== undefined && <Restore backup={restored} onClose={() => setRestored(undefined)} />}
    </div>
  );
}

function isRunning({ state }: RestoreProgress): boolean {
  return state === "running";
}

/** How far a restore is, or what became of it. */
function Restored({ restore }: { readonly restore: RestoreProgress }) {
  const { as, state, total_bytes: total, restored_bytes: bytes, document_count: count = 0 } = restore;
  if (state === "failed")
    return <Notice kind="warning">{text.notRestored(as, restore.problem ?? texts.none)}</Notice>;
  if (state === "done")
    return <Notice>{[text.restored(as, formatNumber(count)), ...(restore.missing ?? [])].join(" ")}</Notice>;
  return (
    <div className="row">
      <span className="grow">{text.restoring(as, formatBytes(bytes), formatBytes(total))}</span>
      <progress
        className="progress"
        max={Math.max(total, 1)}
        value={bytes}
        aria-label={text.restoringLabel(as)}
      />
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
    mutationFn: () => client.beginRestore(backup.id, { index, as: name.trim() }),
    onSuccess: async () => {
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
