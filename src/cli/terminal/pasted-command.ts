/** How a command begins that is shown to be pasted: npx finds it in a checkout, a project and globally. */
export const PASTED_COMMAND = "npx findling";

/** The flags that lead another command to the same server, quoted for a shell; a key is never among them. */
export function connectionFlags(options: {
  readonly url?: string | undefined;
  readonly dataDir?: string | undefined;
}): string {
  return [
    ...(options.url === undefined ? [] : [` --url ${quoted(options.url)}`]),
    ...(options.dataDir === undefined ? [] : [` --data-dir ${quoted(options.dataDir)}`]),
  ].join("");
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
