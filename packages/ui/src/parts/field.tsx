import type { JSX } from "preact";

/** What an input says of itself, for readers of screens. */
export interface Described {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

/** The label of an input, what helps to fill it in, and what is wrong with it. */
export function Field(props: {
  readonly id: string;
  readonly label: string;
  /** Empty for nothing. */
  readonly fault: string;
  /** What helps to fill it in; empty for nothing. */
  readonly how: string;
  /** Returns the input. */
  readonly input: (described: Described) => JSX.Element;
}): JSX.Element {
  const { id, label, fault, how, input } = props;
  const described = [how && `${id}-how`, fault && `${id}-fault`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {input({ id, "aria-invalid": fault !== "", "aria-describedby": described || undefined })}
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
