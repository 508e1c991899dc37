import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useRefresh, useStopwords } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { formatNumber } from "../ui/format.js";
import { Failure, Loading } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const text = texts.indexes;

/** The stopwords in force, and more or fewer of them. */
export function StopwordList({ index }: { readonly index: string }) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const { data, error } = useStopwords(index);
  const [typed, setTyped] = useState("");
  const words = typed
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const done = async () => {
    say({ kind: "done", text: text.stopwordsChanged });
    setTyped("");
    await refresh();
  };
  const add = useMutation({ mutationFn: () => client.addStopwords(index, words), onSuccess: done });
  const remove = useMutation({
    mutationFn: (word: string) => client.deleteStopwords(index, [word]),
    onSuccess: async (_, word) => {
      say({
        kind: "done",
        text: text.stopwordRemoved(word),
        undo: () => client.addStopwords(index, [word]).then(() => refresh()),
      });
      await refresh();
    },
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <section className="card stack">
      <div>
        <h2>{text.stopwords}</h2>
        <p className="hint">{text.stopwordsHint}</p>
      </div>
      {may.write && (
        <form
          className="row row-end"
          onSubmit={(event) => {
            event.preventDefault();
            if (words.length > 0) add.mutate();
          }}
        >
          <div className="grow">
            <TextField
              label={text.addStopwords}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </div>
          <Button type="submit" disabled={words.length === 0} isBusy={add.isPending}>
            {texts.add}
          </Button>
        </form>
      )}
      <details className="fold">
        <summary>
          {text.stopwords} ({formatNumber(data.length)})
        </summary>
        <div className="chips">
          {data.map((word) =>
            may.write ? (
              <button
                key={word}
                type="button"
                className="chip"
                aria-label={`${texts.remove}: ${word}`}
                onClick={() => remove.mutate(word)}
              >
                {word} <span aria-hidden="true">×</span>
              </button>
            ) : (
              <span key={word} className="badge">
                {word}
              </span>
            ),
          )}
        </div>
      </details>
    </section>
  );
}
