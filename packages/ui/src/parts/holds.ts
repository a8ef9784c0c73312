/** How long a finger or pen rests on something until it holds it (ms). */
export const holdMs = 500;
/** How far it may stray meanwhile (CSS px): no finger is still. */
export const strayPx = 10;
/** How long after a finger is lifted its click may come (ms). */
export const clickMs = 400;

/** What can be held, and what happens then. */
export interface Holding<T> {
  /** Returns what of the page an event is about; undefined for what nobody can hold. */
  readonly find: (target: EventTarget | null) => T | undefined;
  readonly open: (found: T) => void;
  /** Calls back after a time (ms). Returns what prevents that. */
  readonly after: (ms: number, call: () => void) => () => void;
}

interface Press {
  readonly x: number;
  readonly y: number;
  readonly end: () => void;
}

/**
 * Opens what somebody holds with a finger or pen, what they press with the right button of a mouse, and what has the focus
 * at the context-menu key or Shift+F10. The menu of the browser stays away, and so does the click that ends a hold.
 * @returns what ends that
 */
export function followHolds<T>(root: EventTarget, { find, open, after }: Holding<T>): () => void {
  let press: Press | undefined;
  /** Whether the finger or key that is down, or was a moment ago, has opened something. */
  let isSpent = false;
  const left = new AbortController();
  const listen = <Type extends keyof HTMLElementEventMap>(
    type: Type,
    act: (event: HTMLElementEventMap[Type]) => void,
  ): void =>
    root.addEventListener(type, act as (event: Event) => void, { signal: left.signal, capture: true });
  const drop = (): void => {
    press?.end();
    press = undefined;
  };
  const hold = (found: T, isByKey = false): void => {
    isSpent = isByKey || press !== undefined;
    drop();
    open(found);
  };
  listen("pointerdown", ({ target, pointerType, isPrimary, clientX, clientY }) => {
    drop();
    if (isPrimary) isSpent = false;
    const found = find(target);
    if (found === undefined || pointerType === "mouse" || !isPrimary) return;
    press = { x: clientX, y: clientY, end: after(holdMs, () => hold(found)) };
  });
  listen("pointermove", ({ clientX, clientY }) => {
    if (press !== undefined && Math.hypot(clientX - press.x, clientY - press.y) > strayPx) drop();
  });
  const lift = (): void => {
    drop();
    if (isSpent) after(clickMs, () => (isSpent = false));
  };
  listen("pointerup", lift);
  // The finger scrolls the page.
  listen("pointercancel", lift);
  // Where a menu opens at the end of a press of the key, what was opened has the focus by then.
  listen("keyup", lift);
  listen("contextmenu", (event) => {
    const found = find(event.target);
    if (found === undefined && !isSpent) return;
    event.preventDefault();
    if (found !== undefined && !isSpent) hold(found);
  });
  listen("click", (event) => {
    if (!isSpent) return;
    isSpent = false;
    event.preventDefault();
    event.stopPropagation();
  });
  // Some keyboards have no such key, and some browsers no such event.
  listen("keydown", (event) => {
    isSpent = false;
    const isAsked = event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey);
    const found = isAsked ? find(event.target) : undefined;
    if (found === undefined) return;
    event.preventDefault();
    hold(found, true);
  });
  return () => {
    left.abort();
    drop();
  };
}
