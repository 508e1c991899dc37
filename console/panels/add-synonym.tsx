import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { say } from "../ui/toasts.js";

const text = texts.synonyms;

/** A colon and a comma part keys and terms; before them a backslash says that they are letters. */
function entryOf(word: string, means: string): string {
  const clean = (part: string): string => part.trim().replace(/[:\\]/g, "\\$&");
  const terms = means
    .split(",")
    .map(clean)
    .filter((term) => term !== "");
  return `${clean(word).replaceAll(",", "\\,")}:${terms.join(",")}`;
}

/** What people search for, and what of the documents it means; in force at once. */
export function AddSynonym({
  index,
  word: givenWord = "",
  onAdded,
}: {
  readonly index: string;
  readonly word?: string;
  readonly onAdded?: () => void;
}) {
  const { client } = useSession();
  const refresh = useRefresh();
  const [word, setWord] = useState(givenWord);
  const [means, setMeans] = useState("");
  const add = useMutation({
    mutationFn: () => client.addSynonyms(index, [entryOf(word, means)]),
    onSuccess: async () => {
      say({
        kind: "done",
        text: text.added(word.trim(), means.trim()),
        undo: () =>
          client.deleteSynonyms(index, [entryOf(word, "x").replace(/:x$/, "")]).then(() => refresh()),
      });
      setMeans("");
      setWord("");
      await refresh();
      onAdded?.();
    },
  });
  const isWhole = word.trim() !== "" && means.trim() !== "";
  return (
    <form
      className="form-grid"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole) add.mutate();
      }}
    >
      <TextField label={text.word} value={word} onChange={(event) => setWord(event.target.value)} />
      <TextField label={text.means} value={means} onChange={(event) => setMeans(event.target.value)} />
      <Button type="submit" kind="main" disabled={!isWhole} isBusy={add.isPending}>
        {text.add}
      </Button>
    </form>
  );
}
