import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useOverview, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { ConfirmLoss } from "../ui/dialog.js";
import { Notice } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const text = texts.pending;

/** What waits for a commit in an index; what can be told of it depends on the key. */
export function PendingBar({ index, hasWritten }: { readonly index: string; readonly hasWritten: boolean }) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const [isAsking, setAsking] = useState(false);
  const { data } = useOverview();
  const known = data?.indexes.find(({ name }) => name === index);
  const isPending = known?.has_pending_writes ?? hasWritten;
  const commit = useMutation({
    mutationFn: () => client.commitIndex(index),
    onSuccess: async () => {
      say({ kind: "done", text: text.committed });
      await refresh();
    },
  });
  const rollback = useMutation({
    mutationFn: () => client.rollbackIndex(index),
    onSuccess: async () => {
      setAsking(false);
      say({ kind: "done", text: text.rolledBack });
      await refresh();
    },
  });
  if (!isPending || !may.write) return null;
  return (
    <Notice kind="warning">
      <div>{text.title(known?.pending_added ?? 0, known?.pending_removed ?? 0)}</div>
      <Button size="small" onClick={() => setAsking(true)}>
        {text.rollback}
      </Button>
      <Button size="small" kind="main" isBusy={commit.isPending} onClick={() => commit.mutate()}>
        {text.commit}
      </Button>
      <ConfirmLoss
        title={text.rollbackTitle}
        loss={text.rollbackLoss(index)}
        name={index}
        action={text.rollback}
        isOpen={isAsking}
        isBusy={rollback.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() => rollback.mutate()}
      />
    </Notice>
  );
}
