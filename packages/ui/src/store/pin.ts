/** The digits that end a panel, and the wrong ones of late. */
export interface PinLock {
  /** Four to eight digits; empty: anybody ends the panel. */
  readonly pin: string;
  /** Wrong ones since the last pause. */
  readonly wrong: number;
  /** Until when (ms since the epoch) no try counts; 0 for none. */
  readonly until: number;
}

export const mostTries = 5;
export const pauseMs = 60_000;

/** Whether these digits can be a PIN. */
export function isPin(text: string): boolean {
  return /^\d{4,8}$/.test(text);
}

/** Returns how long (ms) a lock lets nobody try. A clock that was set back makes nobody wait longer than the pause. */
export function waitOf({ until }: PinLock, at: number): number {
  return Math.min(pauseMs, Math.max(0, until - at));
}

/** Tries a PIN. @param at now (ms since the epoch) @returns whether it opens, and the lock after the try */
export function tryPin(
  lock: PinLock,
  typed: string,
  at: number,
): { readonly opens: boolean; readonly lock: PinLock } {
  if (waitOf(lock, at) > 0) return { opens: false, lock };
  if (lock.pin === "" || typed === lock.pin) return { opens: true, lock: { ...lock, wrong: 0, until: 0 } };
  const wrong = lock.wrong + 1;
  const isLast = wrong >= mostTries;
  return { opens: false, lock: { ...lock, wrong: isLast ? 0 : wrong, until: isLast ? at + pauseMs : 0 } };
}
