import type { JSX } from "preact";

/** A field for a line of text, or for a whole number with a range, with what is wrong with it. */
export function TextField(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** Empty for nothing. */
  readonly fault: string;
  readonly isFixed?: boolean;
  readonly range?: { readonly min: number; readonly max: number };
  readonly put: (value: string) => void;
}): JSX.Element {
  const { id, label, value, fault, isFixed = false, range, put } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...(range === undefined ? ({ type: "text" } as const) : ({ ...range, type: "number" } as const))}
        autoComplete="off"
        maxLength={64}
        disabled={isFixed}
        aria-invalid={fault !== ""}
        aria-describedby={fault === "" ? undefined : `${id}-fault`}
        value={value}
        onInput={(event) => put(event.currentTarget.value)}
      />
      {fault !== "" && (
        <p id={`${id}-fault`} class="problem">
          {fault}
        </p>
      )}
    </div>
  );
}
