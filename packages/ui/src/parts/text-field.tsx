import type { JSX } from "preact";

const usualMost = 64;

/** A field for a line of text, for a whole number with a range, or for a secret, with what is wrong with it. */
export function TextField(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** Empty for nothing. */
  readonly fault: string;
  /** What helps to fill it in; empty for nothing. */
  readonly how?: string;
  readonly isFixed?: boolean;
  readonly isSecret?: boolean;
  /** How many characters it takes. */
  readonly most?: number;
  readonly range?: { readonly min: number; readonly max: number };
  readonly put: (value: string) => void;
}): JSX.Element {
  const { id, label, value, fault, how = "", isFixed, isSecret, most = usualMost, range, put } = props;
  const described = [how && `${id}-how`, fault && `${id}-fault`].filter(Boolean).join(" ");
  const text = isSecret ? ({ type: "password" } as const) : ({ type: "text" } as const);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...(range === undefined ? text : ({ ...range, type: "number" } as const))}
        autoComplete={isSecret ? "new-password" : "off"}
        maxLength={most}
        readOnly={isFixed}
        aria-invalid={fault !== ""}
        aria-describedby={described || undefined}
        value={value}
        onInput={(event) => put(event.currentTarget.value)}
      />
      {how !== "" && (
        <p id={`${id}-how`} class="muted">
          {how}
        </p>
      )}
      {fault !== "" && (
        <p id={`${id}-fault`} class="problem">
          {fault}
        </p>
      )}
    </div>
  );
}
