import type { ComponentProps, JSX } from "preact";

/**
 * A button that may be of no use for now. Unlike one that is `disabled` it keeps the focus then, so that who reaches it by
 * keys is still there when it is of use again; a press does nothing. Without `onClick` it submits its form.
 */
export function Button({
  isBlocked = false,
  isMain = false,
  onClick,
  children,
  ...others
}: Omit<ComponentProps<"button">, "type" | "disabled" | "onClick"> & {
  readonly isBlocked?: boolean;
  /** What most people want to do here. */
  readonly isMain?: boolean;
  readonly onClick?: (() => void) | undefined;
}): JSX.Element {
  const press = (event: MouseEvent): void => {
    if (isBlocked) event.preventDefault();
    else onClick?.();
  };
  return (
    <button
      type={onClick === undefined ? "submit" : "button"}
      class={isMain ? "button main" : "button"}
      {...others}
      aria-disabled={isBlocked || undefined}
      onClick={press}
    >
      {children}
    </button>
  );
}
