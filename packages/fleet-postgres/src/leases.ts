import type { Lease } from "@ledge/fleet";
import { released, type StoredLease, taken } from "@ledge/fleet/store";
import type { Session } from "./connections.ts";

interface LeaseRecord {
  readonly holder: string;
  readonly epoch: string;
  readonly until: string;
}

/** ms since the epoch; undefined for the clock of the database, which all processes share. */
export type Now = (() => number) | undefined;

export async function takeLease(
  session: Session,
  now: Now,
  { name, holder, forMs }: { readonly name: string; readonly holder: string; readonly forMs: number },
): Promise<Lease | undefined> {
  const stored = await lockedLease(session, name);
  const lease = taken(stored, holder, await presentIn(session, now), forMs);
  if (lease === undefined) return undefined;
  await putLease(session, name, lease);
  return { name, ...lease };
}

export async function releaseLease(session: Session, name: string, holder: string): Promise<void> {
  const lease = released(await lockedLease(session, name), holder);
  if (lease !== undefined) await putLease(session, name, lease);
}

export async function leasesIn(session: Session, now: Now, prefix: string): Promise<readonly Lease[]> {
  const found = await session.query<LeaseRecord & { name: string }>(
    `SELECT name, holder, epoch, until FROM ledge.leases WHERE starts_with(name, $1) AND until > $2 ORDER BY name`,
    [prefix, await presentIn(session, now)],
  );
  return found.map(({ name, ...record }) => ({ name, ...leaseOf(record) }));
}

/** Reads a lease, and keeps other transactions from it until this one ends. */
async function lockedLease(session: Session, name: string): Promise<StoredLease | undefined> {
  await session.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 2))", [name]);
  const [found] = await session.query<LeaseRecord>(
    "SELECT holder, epoch, until FROM ledge.leases WHERE name = $1",
    [name],
  );
  return found && leaseOf(found);
}

async function putLease(
  session: Session,
  name: string,
  { holder, epoch, until }: StoredLease,
): Promise<void> {
  await session.query(
    `INSERT INTO ledge.leases (name, holder, epoch, until) VALUES ($1, $2, $3, $4)
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch, until = excluded.until`,
    [name, holder, epoch, until],
  );
}

async function presentIn(session: Session, now: Now): Promise<number> {
  if (now !== undefined) return now();
  const [found] = await session.query<{ ms: string }>(
    "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms",
  );
  return Number(found?.ms);
}

const leaseOf = ({ holder, epoch, until }: LeaseRecord): StoredLease => ({
  holder,
  epoch: Number(epoch),
  until: Number(until),
});
