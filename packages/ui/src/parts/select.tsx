import type { ComponentChildren, JSX } from "preact";
import { held } from "./held.ts";

/** A list to choose from. While it is blocked it keeps the focus, and its value whatever somebody tries. */
export function Select(props: {
  readonly id?: string;
  readonly label?: string;
  readonly value: string;
  readonly isBlocked?: boolean;
  readonly choose: (value: string) => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { id, label, value, isBlocked = false, choose, children } = props;
  return (
    <select
      {...(id !== undefined && { id })}
      aria-label={label}
      value={value}
      {...held(isBlocked)}
      onChange={({ currentTarget }) => {
        const { value: to } = currentTarget;
        // A reader of screens may choose without a key or a pointer.
        if (isBlocked) currentTarget.value = value;
        else choose(to);
      }}
    >
      {children}
    </select>
  );
}
