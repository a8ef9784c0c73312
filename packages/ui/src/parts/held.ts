import type { TargetedKeyboardEvent, TargetedMouseEvent } from "preact";

type Field = HTMLSelectElement | HTMLInputElement;

function keepFocus(event: TargetedMouseEvent<Field>): void {
  event.preventDefault();
  event.currentTarget.focus();
}

function leaveOnly(event: TargetedKeyboardEvent<Field>): void {
  if (event.key !== "Tab") event.preventDefault();
}

/** What a list, a slider or a choice needs to be of no use for now. Unlike one that is `disabled` it keeps the focus. */
export interface Held {
  readonly "aria-disabled"?: true;
  readonly onMouseDown?: typeof keepFocus;
  readonly onClick?: typeof keepFocus;
  readonly onKeyDown?: typeof leaveOnly;
}

/** Returns the properties of a field that takes nothing while it is blocked, as `Button` does. */
export function held(isBlocked: boolean): Held {
  if (!isBlocked) return {};
  return { "aria-disabled": true, onMouseDown: keepFocus, onClick: keepFocus, onKeyDown: leaveOnly };
}
