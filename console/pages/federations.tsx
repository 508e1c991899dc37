import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Federation } from "../../src/client/index.js";
import { PERMISSION } from "../api/abilities.js";
import { createParams, isCreating } from "../api/deed-path.js";
import { useKeys, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { FederationEditor, federationDraft } from "../panels/federation-editor.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { ConfirmLoss } from "../ui/dialog.js";
import { formatBytes, formatNumber } from "../ui/format.js";
import { Instant } from "../ui/instant.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const text = texts.federations;

export default function FederationsPage() {
  const { client } = useSession();
  const [params, setParams] = useSearchParams();
  const [edited, setEdited] = useState<Federation>();
  const isNew = isCreating(params);
  const { data, error, refetch } = useQuery({
    queryKey: ["federation-list"],
    queryFn: ({ signal }) => client.listFederations({ signal }),
  });
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
      {(isNew || edited !== undefined) && (
        <FederationEditor
          federation={isNew ? undefined : edited}
          onClose={() => (isNew ? setParams({}) : setEdited(undefined))}
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
      say({
        kind: "done",
        text: text.deleted(name),
        undo: () => client.createFederation(federationDraft(federation)).then(() => refresh()),
      });
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
      {may.keys && <KeysOf federation={federation} />}
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

/** Which stored keys may search it: those that name it, and those for all of its indexes. */
function KeysOf({ federation }: { readonly federation: Federation }) {
  const { data } = useKeys();
  if (data === undefined) return null;
  const members = federation.index_configurations.map(({ name }) => name);
  const names = data
    .filter(
      ({ permissions, allowed_indexes: allowed, federation_name: named, status }) =>
        status === "active" &&
        (permissions & PERMISSION.SEARCH) !== 0 &&
        (named === federation.name ||
          allowed.includes("*") ||
          members.every((member) => allowed.includes(member))),
    )
    .map(({ name }) => (name === "" ? texts.keys.unnamed : name));
  return (
    <p className="wrap">
      <b>{text.keys}</b> {names.length === 0 ? texts.none : names.join(", ")}{" "}
      <Link href="/keys">{texts.pages.keys}</Link>
    </p>
  );
}
