import type { Lease } from "./register-store.ts";

/** What is stored of a lease; it stays when the lease has ended, so that its epoch never goes back. */
export type StoredLease = Omit<Lease, "name">;

/**
 * Returns a lease as a holder takes or renews it; undefined while another one holds it.
 * @param now ms since the epoch
 */
export function taken(
  stored: StoredLease | undefined,
  holder: string,
  now: number,
  forMs: number,
): StoredLease | undefined {
  const until = now + forMs;
  if (stored === undefined) return { holder, epoch: 1, until };
  // A holder who comes too late to renew has missed nothing: the next one would be named there.
  if (stored.holder === holder && stored.until > 0) return { holder, epoch: stored.epoch, until };
  return stored.until > now ? undefined : { holder, epoch: stored.epoch + 1, until };
}

/** Returns a lease as its holder leaves it; undefined when it is not the holder's. */
export function released(stored: StoredLease | undefined, holder: string): StoredLease | undefined {
  return stored?.holder === holder ? { ...stored, until: 0 } : undefined;
}
