import type { JSX } from "preact";
import { Field } from "./field.tsx";

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
  const text = isSecret ? ({ type: "password" } as const) : ({ type: "text" } as const);
  return (
    <Field
      id={id}
      label={label}
      fault={fault}
      how={how}
      input={(described) => (
        <input
          {...described}
          {...(range === undefined ? text : ({ ...range, type: "number" } as const))}
          autoComplete={isSecret ? "new-password" : "off"}
          maxLength={most}
          readOnly={isFixed}
          value={value}
          onInput={(event) => put(event.currentTarget.value)}
        />
      )}
    />
  );
}
