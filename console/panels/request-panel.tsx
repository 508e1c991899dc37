import { useState } from "react";
import type { SearchBody } from "../../src/client/index.js";
import type { Target } from "../api/queries.js";
import { CODE_LANGUAGES, type CodeLanguage, requestCode } from "../api/request-code.js";
import { texts } from "../texts.js";
import { CopyButton } from "../ui/copy-button.js";
import { Choice } from "../ui/field.js";

const text = texts.playground;

/** The search as a request, in the language of whoever builds with it. */
export function RequestPanel({ target, body }: { readonly target: Target; readonly body: SearchBody }) {
  const [language, setLanguage] = useState<CodeLanguage>("json");
  const code = requestCode(language, location.origin, target, body);
  return (
    <div className="stack-tight">
      <div className="row">
        <Choice
          label={text.request}
          value={language}
          options={CODE_LANGUAGES.map((value) => ({ value, label: text.languages[value] }))}
          onChange={setLanguage}
        />
        <CopyButton text={code} />
      </div>
      <pre className="code">{code}</pre>
    </div>
  );
}
