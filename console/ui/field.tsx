import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from "react";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isLabelHidden?: boolean;
}

/** An input with its name, and a word on what it takes. */
export function TextField({
  label,
  hint,
  error,
  isLabelHidden = false,
  ...input
}: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  const hintId = `${id}-hint`;
  const hasHint = hint !== undefined || error !== undefined;
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? "hidden" : "field-label"}>
        {label}
      </label>
      <input
        autoComplete="off"
        spellCheck={false}
        {...input}
        id={id}
        aria-invalid={error !== undefined}
        {...(hasHint ? { "aria-describedby": hintId } : {})}
      />
      {hasHint && (
        <p id={hintId} className={error === undefined ? "hint" : "hint hint-error"}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

export function SelectField({
  label,
  hint,
  isLabelHidden = false,
  children,
  ...select
}: FieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? "hidden" : "field-label"}>
        {label}
      </label>
      <select {...select} id={id}>
        {children}
      </select>
      {hint !== undefined && <p className="hint">{hint}</p>}
    </div>
  );
}

export function TextArea({
  label,
  hint,
  value,
  onChange,
  rows = 6,
  isLabelHidden = false,
}: FieldProps & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? "hidden" : "field-label"}>
        {label}
      </label>
      <textarea
        id={id}
        rows={rows}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint !== undefined && <p className="hint">{hint}</p>}
    </div>
  );
}

export function CheckField({
  label,
  hint,
  ...input
}: FieldProps & Omit<InputHTMLAttributes<HTMLInputElement>, "type">) {
  const id = useId();
  return (
    <div className="field-check">
      <input {...input} id={id} type="checkbox" />
      <label htmlFor={id}>
        {label}
        {hint !== undefined && <span className="hint"> {hint}</span>}
      </label>
    </div>
  );
}

/** One of a few, side by side. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly title?: string }[];
  readonly onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className="choice">
      <legend className="hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="choice-option" title={option.title}>
          <input
            type="radio"
            className="hidden"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
