import type { ComponentChildren, JSX } from "preact";
import { sync } from "../store/home.ts";

/** A button that asks something of the hub: of no use while the page hears nothing from it, or shows the past. */
export function LiveButton(props: {
  readonly isMain?: boolean;
  /** Left out: it submits its form. */
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { isMain = false, onClick, children } = props;
  return (
    <button
      type={onClick === undefined ? "submit" : "button"}
      class={isMain ? "button main" : "button"}
      disabled={sync.connection.value !== "live"}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
