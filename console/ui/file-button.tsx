import { useRef } from "react";
import { Button } from "./button.js";

/** Has a file chosen from the disk. */
export function FileButton({
  label,
  accept,
  isBusy = false,
  onFile,
}: {
  readonly label: string;
  /** Ends of names, with commas between them. */
  readonly accept: string;
  readonly isBusy?: boolean;
  readonly onFile: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        hidden
        type="file"
        accept={accept}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) onFile(file);
          // The same one may be chosen again.
          event.target.value = "";
        }}
      />
      <Button icon="upload" isBusy={isBusy} onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  );
}
