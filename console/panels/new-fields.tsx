import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Failure } from "../ui/states.js";
import { say } from "../ui/toasts.js";
import { fieldsOf, type NamedField, SchemaEditor } from "./schema-editor.js";

const text = texts.indexes;

/** Fields that are added to an index, whose documents stay. */
export function NewFields({ index }: { readonly index: string }) {
  const { client } = useSession();
  const refresh = useRefresh();
  const [fields, setFields] = useState<readonly NamedField[]>([]);
  const drafts = fieldsOf(fields);
  const add = useMutation({
    mutationFn: () => client.patchIndexFields(index, drafts),
    onSuccess: async () => {
      setFields([]);
      say({ kind: "done", text: text.applied });
      await refresh();
    },
  });
  return (
    <section className="card stack">
      <div>
        <h2>{text.newFields}</h2>
        <p className="hint">{text.newFieldsHint}</p>
      </div>
      <SchemaEditor fields={fields} onChange={setFields} />
      {add.error !== null && <Failure error={add.error} />}
      {Object.keys(drafts).length > 0 && (
        <div>
          <Button kind="main" disabled={add.isPending} onClick={() => add.mutate()}>
            {text.addFields}
          </Button>
        </div>
      )}
    </section>
  );
}
