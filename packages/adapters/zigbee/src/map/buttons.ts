/** What a key of a remote control did. `modifiers` as in wire-facts: `longpress` while it is held, `stop` when it is let go. */
export interface ButtonPress {
  readonly button: number;
  readonly modifiers: readonly string[];
}

/** RC_BUTTON. */
export interface Button {
  readonly type: "RC_BUTTON";
  readonly id: number;
  readonly label: string;
}

/** Keys with a meaning that all remotes share: their ids and labels never change, as rules hold the ids. */
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

/** Scenes that a remote recalls. */
export const sceneButton = (scene: number): Pick<Button, "id" | "label"> => ({
  id: 20 + scene,
  label: `Scene ${scene}`,
});

/** Keys of the second, third … row of a remote that has the same keys several times. */
const rowStep = 1000;

export function inRow(
  { id, label }: Pick<Button, "id" | "label">,
  row: number,
): Pick<Button, "id" | "label"> {
  return row === 0 ? { id, label } : { id: id + rowStep * row, label: `${label} ${row + 1}` };
}

export function asButton({ id, label }: Pick<Button, "id" | "label">): Button {
  return { type: "RC_BUTTON", id, label };
}
