/** Whether the user has last used the keyboard, and not a pointer. */
export let isByKeyboard = false;

/** Follows what the user uses. */
export function followKeyboard(): void {
  addEventListener("keydown", () => (isByKeyboard = true), true);
  addEventListener("pointerdown", () => (isByKeyboard = false), true);
}
