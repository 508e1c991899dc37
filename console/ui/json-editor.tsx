import { json } from "@codemirror/lang-json";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { useEffect, useRef } from "react";

const LOOK = EditorView.theme({
  "&": { backgroundColor: "var(--card)", color: "var(--text)", fontSize: "0.87rem", maxHeight: "60vh" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--soft)", border: "none" },
  ".cm-content": { caretColor: "var(--text)" },
  "&.cm-focused .cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)",
  },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft) !important",
  },
  ".cm-line span": { color: "inherit !important" },
});

/** JSON with line numbers and brackets. Lives in a shadow root, where its styles need no style element. */
export default function JsonEditor({
  label,
  value,
  isReadOnly = false,
  onChange,
}: {
  readonly label: string;
  /** As it is at first. */
  readonly value: string;
  readonly isReadOnly?: boolean;
  readonly onChange?: (value: string) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const listener = useRef(onChange);
  listener.current = onChange;
  const first = useRef(value);
  useEffect(() => {
    const element = host.current!;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          basicSetup,
          json(),
          LOOK,
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) listener.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [isReadOnly, label]);
  return <div ref={host} className="cm-host" />;
}
