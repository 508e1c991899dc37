import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Federation } from "../../src/client/index.js";
import { useIndexNames, useRefresh, useSearch } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { CheckField, TextField } from "../ui/field.js";
import { FormDialog } from "../ui/form-dialog.js";
import { Failure, Loading } from "../ui/states.js";
import { say } from "../ui/toasts.js";
import { HitList, movesAgainst } from "./hit-list.js";
import { WeightSliders } from "./weight-sliders.js";

const text = texts.federations;
const HITS = 8;

type Weights = Readonly<Record<string, number>>;

/** A federation's members and their weights, with the order of a query as it would be. */
export function FederationEditor({
  federation,
  onClose,
}: {
  readonly federation: Federation | undefined;
  readonly onClose: () => void;
}) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const { data: names = [] } = useIndexNames();
  const [name, setName] = useState(federation?.name ?? "");
  const [friendly, setFriendly] = useState(federation?.friendly_name ?? "");
  const [weights, setWeights] = useState<Weights>(() => weightsOf(federation));
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
      say({
        kind: "done",
        text: text.saved(name.trim()),
        undo: () =>
          (federation === undefined
            ? client.deleteFederation(name.trim())
            : client.replaceFederation(federation.name, federationDraft(federation))
          ).then(() => refresh()),
      });
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
      {federation !== undefined && may.search && <OrderPreview federation={federation} weights={weights} />}
    </FormDialog>
  );
}

/** What makes a federation again as it is. */
export function federationDraft({ name, friendly_name, organization_id, index_configurations }: Federation) {
  return {
    name,
    friendly_name,
    index_configurations,
    ...(organization_id === undefined ? {} : { organization_id }),
  };
}

/** What a query finds under the weights chosen, with what moved against the saved ones. */
function OrderPreview({
  federation,
  weights,
}: {
  readonly federation: Federation;
  readonly weights: Weights;
}) {
  const [query, setQuery] = useState("");
  const members = Object.entries(weights);
  const isAsked = query.trim() !== "" && members.length > 0;
  const body = { query: { fuzzy: { ctx: query } }, limit: HITS, facets: false };
  const target = { kind: "federation", name: federation.name } as const;
  const now = useSearch(target, isAsked ? body : undefined);
  const asked = members.map(([name, weight_multiplier]) => ({ name, weight_multiplier }));
  const then = useSearch(target, isAsked ? { ...body, index_configurations: asked } : undefined);
  return (
    <section className="stack">
      <TextField
        label={text.preview}
        hint={text.previewHint}
        type="search"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {then.error !== null && <Failure error={then.error} />}
      {isAsked && then.data === undefined && then.error === null && <Loading />}
      {isAsked && then.data !== undefined && now.data !== undefined && (
        <HitList
          hits={then.data.hits}
          view={undefined}
          firstRank={1}
          moves={movesAgainst(then.data.hits, now.data.hits)}
          onOpen={() => undefined}
        />
      )}
    </section>
  );
}

function weightsOf(federation: Federation | undefined): Weights {
  return Object.fromEntries(
    (federation?.index_configurations ?? []).map((each) => [each.name, each.weight_multiplier]),
  );
}
