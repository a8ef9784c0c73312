import type { Cloud } from "../cloud.ts";
import type { DeadLetter, EgressStop, EgressTarget } from "../model/egress-state.ts";

type Asked = Pick<Cloud, "kernel">;

/** An egress target as the operator sees it. */
export interface EgressOverview {
  readonly siteId: string;
  readonly targetId: string;
  /** Where it is; null when the key for its settings is missing. */
  readonly origin: string | null;
  readonly enabled: boolean;
  /** Why the cloud has disabled it. */
  readonly disabled: EgressStop["reason"] | null;
  /** Since when nothing was accepted (ms since the epoch); null while it works. */
  readonly failingSince: number | null;
  readonly deadLetters: number;
}

/** A dead letter as the operator sees it. */
export type DeadLetterOverview = Pick<DeadLetter, "batchId" | "events" | "reason" | "at" | "isReplayed">;

/** Returns the egress targets of all sites, or of one. */
export function targetsOf({ kernel }: Asked, site?: string): EgressOverview[] {
  const all = [...kernel.all("egress")].filter(([siteId]) => site === undefined || siteId === site);
  return all.flatMap(([siteId, { targets }]) =>
    Object.values(targets).map((target) => overviewOf(siteId, target)),
  );
}

/** Returns the dead letters of a target, oldest first. */
export function deadLettersOf({ deadLetters }: EgressTarget): DeadLetterOverview[] {
  return deadLetters.map(({ batchId, events, reason, at, isReplayed }) => {
    return { batchId, events, reason, at, isReplayed };
  });
}

function overviewOf(siteId: string, target: EgressTarget): EgressOverview {
  const { id, settings, isEnabled, stop, failingSince, deadLetters } = target;
  return {
    siteId,
    targetId: id,
    // A path or a query may hold a secret.
    origin: URL.parse(settings.url)?.origin ?? null,
    enabled: isEnabled,
    disabled: stop?.reason ?? null,
    failingSince,
    deadLetters: deadLetters.length,
  };
}
