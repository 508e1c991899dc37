import { useMutation } from "@tanstack/react-query";
import type { IndexView } from "../../src/client/index.js";
import { useRefresh } from "../api/queries.js";
import { MODES, type Settings } from "../api/search-state.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { CheckField, Choice } from "../ui/field.js";
import { say } from "../ui/toasts.js";
import { WeightSliders } from "./weight-sliders.js";

const text = texts.playground;

/** Settings that are tried for one search, and can be kept. */
export function SettingsPanel({
  title,
  settings,
  view,
  hasMode = false,
  onChange,
}: {
  readonly title: string;
  readonly settings: Settings;
  /** Absent where the key may not read an index's settings. */
  readonly view: IndexView | undefined;
  readonly hasMode?: boolean;
  readonly onChange: (changes: Partial<Settings>) => void;
}) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const { weights } = settings;
  const isTried = Object.keys(weights).length > 0;
  const keep = useMutation({
    mutationFn: (index: IndexView) =>
      client.patchIndex(index.name, { weight_multipliers: { ...index.weight_multipliers, ...weights } }),
    onSuccess: async () => {
      say({ kind: "done", text: texts.indexes.applied });
      onChange({ weights: {} });
      await refresh();
    },
  });
  return (
    <div className="stack">
      <h2>{title}</h2>
      {hasMode && (
        <Choice
          label={text.mode}
          value={settings.mode}
          options={MODES.map((value) => ({ value, label: text.modes[value] }))}
          onChange={(mode) => onChange({ mode })}
        />
      )}
      <CheckField
        label={text.synonyms}
        checked={settings.synonyms}
        onChange={(event) => onChange({ synonyms: event.target.checked })}
      />
      {view !== undefined && view.search_fields.length > 0 && (
        <div className="stack-tight">
          <h3>{text.weights}</h3>
          <WeightSliders
            names={view.search_fields}
            weights={{ ...view.weight_multipliers, ...weights }}
            onChange={(name, weight) => onChange({ weights: { ...weights, [name]: weight } })}
          />
          {isTried && (
            <div className="actions">
              {may.changeIndexes && (
                <Button size="small" kind="main" isBusy={keep.isPending} onClick={() => keep.mutate(view)}>
                  {text.keepWeights}
                </Button>
              )}
              <Button size="small" onClick={() => onChange({ weights: {} })}>
                {text.resetWeights}
              </Button>
            </div>
          )}
        </div>
      )}
    </div>
  );
}
