/**
 * A press of a remote's key. `modifiers` as in wire-facts: `longpress` while the key is held, `stop` when it
 * is released.
 */
export interface ButtonPress {
  readonly button: number;
  readonly modifiers: readonly string[];
}

/** A button of a remote, RC_BUTTON in the API. */
export interface Button {
  readonly type: "RC_BUTTON";
  readonly id: number;
  readonly label: string;
}

/**
 * Keys with a common meaning on all remotes. Their ids and labels must never change, because rules store the
 * ids.
 */
export const namedKeys = {
  on: { id: 1, label: "On" },
  up: { id: 2, label: "Brighter" },
  down: { id: 3, label: "Darker" },
  off: { id: 4, label: "Off" },
  toggle: { id: 5, label: "Toggle" },
  left: { id: 6, label: "Left" },
  right: { id: 7, label: "Right" },
  warmer: { id: 8, label: "Warmer" },
  colder: { id: 9, label: "Colder" },
  open: { id: 10, label: "Open" },
  close: { id: 11, label: "Close" },
  stop: { id: 12, label: "Stop" },
  hue: { id: 13, label: "Colour" },
  disarm: { id: 14, label: "Disarm" },
  arm_day: { id: 15, label: "Arm by day" },
  arm_night: { id: 16, label: "Arm by night" },
  arm_all: { id: 17, label: "Arm all" },
  panic: { id: 18, label: "Panic" },
  emergency: { id: 19, label: "Emergency" },
} as const;
export type NamedKey = keyof typeof namedKeys;

/** The key of a scene that a remote recalls. */
export const sceneButton = (scene: number): Pick<Button, "id" | "label"> => ({
  id: 20 + scene,
  label: `Scene ${scene}`,
});

/** Offset of the keys in the second, third … row of a remote whose rows have the same keys. */
const rowStep = 1000;

/** Returns the key of a row, with its id and label. */
export function inRow(
  { id, label }: Pick<Button, "id" | "label">,
  row: number,
): Pick<Button, "id" | "label"> {
  return row === 0 ? { id, label } : { id: id + rowStep * row, label: `${label} ${row + 1}` };
}

export function asButton({ id, label }: Pick<Button, "id" | "label">): Button {
  return { type: "RC_BUTTON", id, label };
}
