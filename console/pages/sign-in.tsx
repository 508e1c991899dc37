import { useState } from "react";
import { useSessionState } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { CheckField, TextField } from "../ui/field.js";

export function SignIn() {
  const { signIn, problem: openingProblem } = useSessionState();
  const [key, setKey] = useState("");
  const [isKept, setKept] = useState(true);
  const [problem, setProblem] = useState(openingProblem);
  const [isBusy, setBusy] = useState(false);

  const submit = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(key.trim(), isKept);
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <form
        className="card sign-in-card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <img src="/console/icon.svg" width="40" height="40" alt="" />
        <h1>{texts.signIn.title}</h1>
        <TextField
          label={texts.signIn.key}
          hint={texts.signIn.keyHint}
          error={problem === undefined ? undefined : texts.signIn.linkProblem(problem)}
          type="password"
          name="key"
          value={key}
          autoFocus
          onChange={(event) => setKey(event.target.value)}
        />
        <CheckField
          label={texts.signIn.keep}
          checked={isKept}
          onChange={(event) => setKept(event.target.checked)}
        />
        <Button type="submit" kind="main" isBusy={isBusy} disabled={key.trim() === ""}>
          {texts.signIn.submit}
        </Button>
        <p className="hint">{texts.signIn.stays}</p>
      </form>
    </main>
  );
}
