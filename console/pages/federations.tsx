import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { Federation } from "../../src/client/index.js";
import { useIndexNames, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { WeightSliders } from "../panels/weight-sliders.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { ConfirmLoss } from "../ui/dialog.js";
import { CheckField, TextField } from "../ui/field.js";
import { FormDialog } from "../ui/form-dialog.js";
import { formatBytes, formatNumber } from "../ui/format.js";
import { Instant } from "../ui/instant.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const text = texts.federations;

export default function FederationsPage() {
  const { client } = useSession();
  const [edited, setEdited] = useState<Federation | "new">();
  const { data, error, refetch } = useQuery({
    queryKey: ["federation-list"],
    queryFn: ({ signal }) => client.listFederations({ signal }),
  });
  return (
    <div className="page">
      <div className="page-head">
        <h1>{text.title}</h1>
        <div className="grow" />
        <Button kind="main" icon="plus" onClick={() => setEdited("new")}>
          {text.create}
        </Button>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data?.length === 0 && <Empty title={text.none} />}
      <div className="columns">
        {data?.map((federation) => (
          <FederationCard
            key={federation.name}
            federation={federation}
            onEdit={() => setEdited(federation)}
          />
        ))}
      </div>
      {edited !== undefined && (
        <FederationEditor
          federation={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

function FederationCard({
  federation,
  onEdit,
}: {
  readonly federation: Federation;
  readonly onEdit: () => void;
}) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const [isDeleting, setDeleting] = useState(false);
  const { name, friendly_name: friendly, index_configurations: members } = federation;
  const { data: stats } = useQuery({
    queryKey: ["federation-stats", name],
    queryFn: ({ signal }) => client.getFederationStats(name, { signal }),
  });
  const remove = useMutation({
    mutationFn: () => client.deleteFederation(name),
    onSuccess: async () => {
      setDeleting(false);
      say({ kind: "done", text: text.deleted(name) });
      await refresh(name);
    },
  });
  return (
    <section className="card stack">
      <div className="row">
        <h2 className="grow wrap">{friendly}</h2>
        <span className="badge mono">{name}</span>
      </div>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{texts.index}</th>
            <th scope="col" className="number">
              {texts.playground.weights}
            </th>
            <th scope="col" className="number">
              {text.documents}
            </th>
            <th scope="col" className="number">
              {texts.overview.size}
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => {
            const own = stats?.indices.find(({ index_name: index }) => index === member.name);
            return (
              <tr key={member.name}>
                <td>{member.name}</td>
                <td className="number">{member.weight_multiplier}</td>
                <td className="number">{own === undefined ? "" : formatNumber(own.num_docs)}</td>
                <td className="number">{own === undefined ? "" : formatBytes(own.space_usage)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="hint">
        {text.changed} <Instant at={federation.last_modified} />
      </p>
      <div className="actions">
        {may.search && (
          <Link
            className="button button-small"
            href={`/playground?federation=${encodeURIComponent(name)}`}
            aria-label={`${text.tryIt}: ${name}`}
          >
            {text.tryIt}
          </Link>
        )}
        <Button size="small" icon="edit" onClick={onEdit}>
          {texts.edit}
        </Button>
        <Button size="small" icon="trash" onClick={() => setDeleting(true)}>
          {texts.delete}
        </Button>
      </div>
      <ConfirmLoss
        title={text.deleteTitle(name)}
        loss={text.deleteLoss(name)}
        name={name}
        action={texts.delete}
        isOpen={isDeleting}
        isBusy={remove.isPending}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutate()}
      />
    </section>
  );
}

function FederationEditor({
  federation,
  onClose,
}: {
  readonly federation: Federation | undefined;
  readonly onClose: () => void;
}) {
  const { client } = useSession();
  const refresh = useRefresh();
  const { data: names = [] } = useIndexNames();
  const [name, setName] = useState(federation?.name ?? "");
  const [friendly, setFriendly] = useState(federation?.friendly_name ?? "");
  const [weights, setWeights] = useState<Readonly<Record<string, number>>>(() =>
    Object.fromEntries(
      (federation?.index_configurations ?? []).map((each) => [each.name, each.weight_multiplier]),
    ),
  );
  const members = Object.keys(weights);
  const candidates = [...new Set([...members, ...names])].sort();
  const save = useMutation({
    mutationFn: () => {
      const draft = {
        name: name.trim(),
        ...(friendly.trim() === "" ? {} : { friendly_name: friendly.trim() }),
        ...(federation?.organization_id === undefined ? {} : { organization_id: federation.organization_id }),
        index_configurations: members.map((each) => ({ name: each, weight_multiplier: weights[each]! })),
      };
      return federation === undefined
        ? client.createFederation(draft)
        : client.replaceFederation(federation.name, draft);
    },
    onSuccess: async () => {
      say({ kind: "done", text: text.saved(name.trim()) });
      onClose();
      await refresh();
    },
  });
  return (
    <FormDialog
      title={federation === undefined ? text.create : text.edit(federation.name)}
      action={texts.save}
      deed={save}
      isComplete={name.trim() !== "" && members.length > 0}
      onClose={onClose}
      size="wide"
    >
      <div className="form-grid">
        <TextField
          label={text.name}
          value={name}
          readOnly={federation !== undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={text.friendlyName}
          value={friendly}
          onChange={(event) => setFriendly(event.target.value)}
        />
      </div>
      <fieldset className="stack-tight">
        <legend>
          <h3>{text.members}</h3>
        </legend>
        {candidates.map((each) => (
          <CheckField
            key={each}
            label={each}
            checked={each in weights}
            onChange={(event) => {
              const { [each]: _, ...rest } = weights;
              setWeights(event.target.checked ? { ...weights, [each]: 1 } : rest);
            }}
          />
        ))}
      </fieldset>
      <WeightSliders
        names={members}
        weights={weights}
        onChange={(each, weight) => setWeights({ ...weights, [each]: weight })}
      />
    </FormDialog>
  );
}
