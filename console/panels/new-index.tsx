import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { Failure } from "../ui/states.js";
import { say } from "../ui/toasts.js";
import { fieldsOf, namedField, SchemaEditor } from "./schema-editor.js";
import { Upload } from "./upload.js";

const text = texts.indexes;

/** An index made by hand, or from a file. */
export function NewIndex({ onCreated }: { readonly onCreated: (name: string) => void }) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const [name, setName] = useState("");
  const [language, setLanguage] = useState("");
  const [fields, setFields] = useState(() => [
    namedField("id", { type: "text" }),
    namedField("title", { type: "text" }),
  ]);
  const create = useMutation({
    mutationFn: () =>
      client.createIndex({
        name: name.trim(),
        fields: fieldsOf(fields),
        ...(language.trim() === "" ? {} : { language: language.trim() }),
      }),
    onSuccess: async () => {
      say({ kind: "done", text: text.created(name.trim()) });
      await refresh();
      onCreated(name.trim());
    },
  });
  return (
    <div className="columns">
      <form
        className="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <h2>{text.create}</h2>
        <div className="form-grid">
          <TextField label={text.name} value={name} onChange={(event) => setName(event.target.value)} />
          <TextField
            label={text.languageCode}
            maxLength={2}
            value={language}
            onChange={(event) => setLanguage(event.target.value)}
          />
        </div>
        <h3>{text.fields}</h3>
        <SchemaEditor fields={fields} onChange={(next) => setFields([...next])} />
        {create.error !== null && <Failure error={create.error} />}
        <div className="actions">
          <Button type="submit" kind="main" disabled={name.trim() === ""} isBusy={create.isPending}>
            {text.create}
          </Button>
        </div>
      </form>
      {may.write && <Upload index={undefined} onDone={onCreated} />}
    </div>
  );
}
