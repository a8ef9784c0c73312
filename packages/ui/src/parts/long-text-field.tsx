import type { JSX } from "preact";
import { Field } from "./field.tsx";

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
  return (
    <Field
      id={id}
      label={label}
      fault={fault}
      how={how}
      input={(described) => (
        <textarea
          {...described}
          rows={4}
          autoComplete="off"
          spellcheck={false}
          maxLength={most}
          value={value}
          onInput={(event) => put(event.currentTarget.value)}
        />
      )}
    />
  );
}
