import { Fragment } from "react";
import { MARK_END, MARK_START } from "../api/search-state.js";

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&#x27;": "'",
};

/** The server escapes what lies around the marks, since most put it into pages as it is. Here it becomes text again. */
function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|amp|quot|#39|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** A highlight: text with what matched marked, never HTML. */
export function MarkedText({ text }: { readonly text: string }) {
  const [before = "", ...marked] = text.split(MARK_START);
  return (
    <>
      {unescaped(before)}
      {marked.map((part, at) => {
        const [inside = "", after = ""] = part.split(MARK_END);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name.
          <Fragment key={at}>
            <mark>{unescaped(inside)}</mark>
            {unescaped(after)}
          </Fragment>
        );
      })}
    </>
  );
}
