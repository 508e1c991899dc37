import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Alias } from "../../src/client/index.js";
import { useIndexNames, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { ConfirmLoss } from "../ui/dialog.js";
import { SelectField, TextField } from "../ui/field.js";
import { Failure, Loading } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const text = texts.aliases;

/** All aliases in the key's scope: given to an index, moved, several at once, and deleted. */
export function AliasTable({ index }: { readonly index: string }) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const { data: names = [] } = useIndexNames();
  const { data, error, refetch } = useQuery({
    queryKey: ["aliases"],
    enabled: may.search,
    queryFn: ({ signal }) => client.listAliases({ signal }),
  });
  /** By alias, where it is to go. */
  const [moves, setMoves] = useState<ReadonlyMap<string, string>>(new Map());
  const [asked, setAsked] = useState<Alias>();
  const moved = (data ?? []).flatMap(({ alias, index: now }): Alias[] => {
    const next = moves.get(alias);
    return next === undefined || next === now ? [] : [{ alias, index: next }];
  });
  const swap = useMutation({
    mutationFn: async () => {
      const before = (data ?? []).filter(({ alias }) => moved.some((each) => each.alias === alias));
      await client.swapAliases(moved);
      return before;
    },
    onSuccess: async (before) => {
      setMoves(new Map());
      say({ kind: "done", text: text.swapped, undo: () => client.swapAliases(before).then(() => refresh()) });
      await refresh();
    },
  });
  const remove = useMutation({
    mutationFn: ({ alias }: Alias) => client.deleteAlias(alias),
    onSuccess: async (_, { alias, index: gone }) => {
      setAsked(undefined);
      say({
        kind: "done",
        text: text.deleted(alias),
        undo: () => client.putAlias(alias, gone).then(() => refresh()),
      });
      await refresh();
    },
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return may.search ? <Loading lines={3} /> : null;
  return (
    <section className="card stack">
      <div>
        <h2>{text.title}</h2>
        <p className="hint">{text.hint}</p>
      </div>
      {data.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">{text.alias}</th>
              <th scope="col">{text.index}</th>
              <th scope="col">
                <span className="hidden">{texts.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((each) => (
              <tr key={each.alias}>
                <th scope="row">{each.alias}</th>
                <td>
                  {may.createIndexes ? (
                    <SelectField
                      label={text.stands(each.alias)}
                      isLabelHidden
                      value={moves.get(each.alias) ?? each.index}
                      onChange={(event) => setMoves(new Map(moves).set(each.alias, event.target.value))}
                    >
                      {[...new Set([each.index, ...names])].map((name) => (
                        <option key={name}>{name}</option>
                      ))}
                    </SelectField>
                  ) : (
                    each.index
                  )}
                </td>
                <td className="number">
                  {may.createIndexes && (
                    <Button
                      kind="plain"
                      size="small"
                      icon="trash"
                      label={`${texts.delete}: ${each.alias}`}
                      onClick={() => setAsked(each)}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {moved.length > 0 && (
        <div className="actions">
          <Button onClick={() => setMoves(new Map())}>{texts.cancel}</Button>
          <Button kind="main" isBusy={swap.isPending} onClick={() => swap.mutate()}>
            {text.swap(moved.length)}
          </Button>
        </div>
      )}
      {swap.error !== null && <Failure error={swap.error} />}
      {may.createIndexes && <NewAlias index={index} aliases={data} />}
      <ConfirmLoss
        title={text.deleteTitle(asked?.alias ?? "")}
        loss={text.deleteLoss(asked?.alias ?? "", asked?.index ?? "")}
        name={asked?.alias ?? ""}
        action={texts.delete}
        isOpen={asked !== undefined}
        isBusy={remove.isPending}
        onClose={() => setAsked(undefined)}
        onConfirm={() => asked !== undefined && remove.mutate(asked)}
      />
    </section>
  );
}

function NewAlias({ index, aliases }: { readonly index: string; readonly aliases: readonly Alias[] }) {
  const { client } = useSession();
  const refresh = useRefresh();
  const [alias, setAlias] = useState("");
  const add = useMutation({
    mutationFn: () => client.putAlias(alias.trim(), index),
    onSuccess: async () => {
      const given = alias.trim();
      const before = aliases.find((each) => each.alias === given);
      say({
        kind: "done",
        text: text.given(given, index),
        undo: () =>
          (before === undefined ? client.deleteAlias(given) : client.putAlias(given, before.index)).then(() =>
            refresh(),
          ),
      });
      setAlias("");
      await refresh();
    },
  });
  return (
    <form
      className="row row-end"
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <div className="grow">
        <TextField label={text.newAlias} value={alias} onChange={(event) => setAlias(event.target.value)} />
      </div>
      <Button type="submit" kind="main" disabled={alias.trim() === ""} isBusy={add.isPending}>
        {text.set}
      </Button>
      {add.error !== null && <Failure error={add.error} />}
    </form>
  );
}
