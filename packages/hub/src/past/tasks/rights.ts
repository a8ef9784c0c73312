import type { Viewer } from "@ledge/kernel";
import type { AnyDecider, States } from "@ledge/model";
import { accessMasks, aggregates, allows } from "@ledge/model";

/** The aggregates by kind. */
export const deciders: ReadonlyMap<string, AnyDecider> = new Map(
  aggregates.map((decider) => [decider.kind, decider]),
);

/** Checks rights as in a poll. Only administrators may ask about users, and about non-public facts of the hub. */
export function mayRead(kind: keyof States, state: never, { role, user }: Viewer): boolean {
  if (kind === "user" || kind === "hub") {
    const { id } = state as { readonly id: string };
    return allows("USER_ADMIN", role) || (kind === "user" && id === user);
  }
  const delta = deciders.get(kind)?.delta;
  const mask = delta?.readMask?.(state) ?? accessMasks.ANONYMOUS;
  const reader = delta?.reader?.(state) ?? null;
  return (role & mask) !== 0 && (reader === null || reader === user || allows("SUPER_ADMIN", role));
}
