import { useState } from "react";
import { texts } from "../texts.js";
import { Button } from "./button.js";

export function CopyButton({ text, label = texts.copy }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  return (
    <Button
      size="small"
      icon={isDone ? "check" : "copy"}
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setDone(true);
          setTimeout(() => setDone(false), 1_500);
        });
      }}
    >
      {isDone ? texts.copied : label}
    </Button>
  );
}
