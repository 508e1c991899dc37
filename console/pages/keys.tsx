import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { AccessKey, NewKey } from "../../src/client/index.js";
import { bitsOf, PERMISSION } from "../api/abilities.js";
import { createParams, isCreating } from "../api/deed-path.js";
import { useKeys, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy-button.js";
import { ConfirmLoss } from "../ui/dialog.js";
import { CheckField, Choice, TextField } from "../ui/field.js";
import { FormDialog } from "../ui/form-dialog.js";
import { Instant } from "../ui/instant.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const text = texts.keys;

type Kind = keyof typeof text.kinds;
const MASKS: Readonly<Record<Exclude<Kind, "custom">, number>> = { read: 1, ingest: 15, admin: 63 };

export default function KeysPage() {
  const [params, setParams] = useSearchParams();
  const { data, error, refetch } = useKeys();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{text.title}</h1>
        <div className="grow" />
        <Button kind="main" icon="plus" onClick={() => setParams(createParams)}>
          {text.create}
        </Button>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Loading />
      ) : (
        <div className="columns">
          {data.length === 0 && <Empty title={text.none} />}
          {data.map((key) => (
            <KeyCard key={key.id} accessKey={key} />
          ))}
        </div>
      )}
      <CreateKey isOpen={isCreating(params)} onClose={() => setParams({})} />
    </div>
  );
}

function KeyCard({ accessKey }: { readonly accessKey: AccessKey }) {
  const { client } = useSession();
  const refresh = useRefresh();
  const [isShown, setShown] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const [isLimiting, setLimiting] = useState(false);
  const { id, key, name, permissions, allowed_indexes: allowed, status } = accessKey;
  const { expires_at: expiry, last_used_at: lastUse } = accessKey;
  const isExpired = expiry !== undefined && Date.parse(expiry) <= Date.now();
  const shownStatus = isExpired && status === "active" ? "expired" : status;
  const isMasked = key.startsWith("********");
  const called = name === "" ? text.unnamed : name;
  const done = (sentence: string) => async () => {
    setDeleting(false);
    say({ kind: "done", text: sentence });
    await refresh();
  };
  const change = useMutation({
    mutationFn: () => client.updateKey(id, { status: status === "active" ? "inactive" : "active" }),
    onSuccess: done(text.saved),
  });
  const rotate = useMutation({
    mutationFn: () => {
      const { key: _key, id: _id, last_used_at: _use, expires_at: _expiry, ...rights } = accessKey;
      // One that has ended is followed by one that doesn't; else the end is the same.
      const end = expiry === undefined || isExpired ? {} : { expires_at: expiry };
      return client.createKey({ ...rights, ...end, status: "active" });
    },
    onSuccess: done(text.rotated),
  });
  const remove = useMutation({ mutationFn: () => client.deleteKey(id), onSuccess: done(text.deleted) });
  return (
    <section className="card stack">
      <div className="row">
        <h2 className="grow wrap">{called}</h2>
        <span className={shownStatus === "active" ? "badge badge-good" : "badge"}>
          {text.statuses[shownStatus]}
        </span>
      </div>
      <div className="row">
        <code className="mono wrap grow">{isShown ? key : `…${key.slice(-4)}`}</code>
        {!isMasked && (
          <>
            <Button size="small" onClick={() => setShown(!isShown)}>
              {isShown ? text.hide : text.show}
            </Button>
            <CopyButton text={key} />
          </>
        )}
      </div>
      <p>
        <b>{text.may}</b>{" "}
        {bitsOf(permissions)
          .map((bit) => texts.abilities[bit])
          .join("; ")}
      </p>
      <p className="wrap">
        <b>{text.where}</b>{" "}
        {(permissions & MASKS.admin) === MASKS.admin || allowed.includes("*")
          ? text.everywhere
          : allowed.length === 0
            ? (accessKey.federation_name ?? text.nowhere)
            : allowed.join(", ")}
      </p>
      <dl className="row key-times">
        <div>
          <dt>{text.until}</dt>
          <dd>{expiry === undefined ? text.endless : <Instant at={expiry} isExact />}</dd>
        </div>
        <div>
          <dt>{text.lastUse}</dt>
          <dd>{lastUse === undefined ? text.unused : <Instant at={lastUse} />}</dd>
        </div>
      </dl>
      {!isMasked && (
        <div className="actions">
          <Button size="small" icon="refresh" isBusy={rotate.isPending} onClick={() => rotate.mutate()}>
            {text.rotate}
          </Button>
          <Button size="small" isBusy={change.isPending} onClick={() => change.mutate()}>
            {status === "active" ? text.deactivate : text.activate}
          </Button>
          <Button size="small" onClick={() => setLimiting(true)}>
            {text.changeExpiry}
          </Button>
          <Button size="small" icon="trash" onClick={() => setDeleting(true)}>
            {texts.delete}
          </Button>
        </div>
      )}
      <ChangeExpiry accessKey={accessKey} isOpen={isLimiting} onClose={() => setLimiting(false)} />
      <ConfirmLoss
        title={text.deleteTitle(called)}
        loss={text.deleteLoss}
        name={name === "" ? id : name}
        action={texts.delete}
        isOpen={isDeleting}
        isBusy={remove.isPending}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutate()}
      />
    </section>
  );
}

/** The day that a date field shows for the end of a key, in the viewer's zone. */
function lastDayOf(expiry: string | undefined): string {
  if (expiry === undefined) return "";
  const end = new Date(Date.parse(expiry) - 1);
  const twoDigits = (number: number) => String(number).padStart(2, "0");
  return `${String(end.getFullYear()).padStart(4, "0")}-${twoDigits(end.getMonth() + 1)}-${twoDigits(end.getDate())}`;
}

/** A key's end by its last day: the midnight behind it in the viewer's zone; null for none. */
function endOf(lastDay: string): string | null {
  const [year, month, day] = lastDay.split("-").map(Number);
  if (year === undefined || month === undefined || day === undefined) return null;
  return new Date(year, month - 1, day + 1).toISOString();
}

function ExpiryField({
  lastDay,
  onChange,
}: {
  readonly lastDay: string;
  readonly onChange: (lastDay: string) => void;
}) {
  return (
    <TextField
      type="date"
      label={text.expiry}
      hint={text.expiryHint}
      value={lastDay}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function ChangeExpiry({
  accessKey,
  isOpen,
  onClose,
}: {
  readonly accessKey: AccessKey;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const { client } = useSession();
  const refresh = useRefresh();
  const [lastDay, setLastDay] = useState(lastDayOf(accessKey.expires_at));
  const change = useMutation({
    mutationFn: () => client.updateKey(accessKey.id, { expires_at: endOf(lastDay) }),
    onSuccess: async () => {
      say({ kind: "done", text: text.saved });
      onClose();
      await refresh();
    },
  });
  return (
    <FormDialog title={text.changeExpiry} action={texts.save} deed={change} isOpen={isOpen} onClose={onClose}>
      <ExpiryField lastDay={lastDay} onChange={setLastDay} />
    </FormDialog>
  );
}

function CreateKey({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { client, caller } = useSession();
  const refresh = useRefresh();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("read");
  const [mask, setMask] = useState(1);
  const [scope, setScope] = useState("*");
  const [lastDay, setLastDay] = useState("");
  const permissions = kind === "custom" ? mask : MASKS[kind];
  const create = useMutation({
    mutationFn: () => {
      const key: NewKey = {
        name: name.trim(),
        permissions,
        allowed_indexes: scope
          .split(",")
          .map((each) => each.trim())
          .filter((each) => each !== ""),
        expires_at: endOf(lastDay),
      };
      return client.createKey(key);
    },
    onSuccess: async () => {
      setName("");
      say({ kind: "done", text: text.created });
      onClose();
      await refresh();
    },
  });
  return (
    <FormDialog
      title={text.create}
      action={text.create}
      deed={create}
      isComplete={permissions !== 0}
      isOpen={isOpen}
      onClose={onClose}
    >
      <TextField label={text.name} value={name} onChange={(event) => setName(event.target.value)} />
      <Choice
        label={text.permissions}
        value={kind}
        options={(Object.keys(text.kinds) as Kind[])
          // Nobody grants what he doesn't hold.
          .filter((each) => each === "custom" || (caller.permissions & MASKS[each]) === MASKS[each])
          .map((value) => ({ value, label: text.kinds[value] }))}
        onChange={setKind}
      />
      {kind === "custom" ? (
        Object.values(PERMISSION)
          .filter((bit) => (caller.permissions & bit) !== 0)
          .map((bit) => (
            <CheckField
              key={bit}
              label={texts.abilities[bit] ?? String(bit)}
              checked={(mask & bit) !== 0}
              onChange={(event) => setMask(event.target.checked ? mask | bit : mask & ~bit)}
            />
          ))
      ) : (
        <p className="hint">
          {bitsOf(permissions)
            .map((bit) => texts.abilities[bit])
            .join("; ")}
        </p>
      )}
      <TextField
        label={text.scope}
        hint={text.scopeHint}
        value={scope}
        onChange={(event) => setScope(event.target.value)}
      />
      <ExpiryField lastDay={lastDay} onChange={setLastDay} />
    </FormDialog>
  );
}
