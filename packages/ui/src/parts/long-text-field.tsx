import type { JSX } from "preact";

/** A field for a text of several lines, whose line breaks stay, with what is wrong with it. */
export function LongTextField(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** Empty for nothing. */
  readonly fault: string;
  /** What helps to fill it in; empty for nothing. */
  readonly how?: string;
  /** How many characters it takes. */
  readonly most: number;
  readonly put: (value: string) => void;
}): JSX.Element {
  const { id, label, value, fault, how = "", most, put } = props;
  const described = [how && `${id}-how`, fault && `${id}-fault`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={4}
        autoComplete="off"
        spellcheck={false}
        maxLength={most}
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
