// Budgets for the tests of each package: counts, because seconds depend on the machine.

/** The cost of the tests of a package. */
export interface Spent {
  /** The package, or a top folder. */
  readonly suite: string;
  readonly milliseconds: number;
  /** Processor time. */
  readonly cpuMs: number;
  /** Processes that the tests start themselves, without those that these start in turn. */
  readonly processes: number;
  /** Runs of properties. */
  readonly runs: number;
}

type Budget = Pick<Spent, "processes" | "runs">;

/**
 * The most that a run of all tests may start and try, by package; a package that is not listed has zero of both. Before
 * you raise a number: a hub that already runs may serve the new test too, and `npm run properties` is the place for
 * many runs of a property.
 */
export const budgets: Readonly<Record<string, Budget>> = {
  // The gate counts again what has grown.
  bench: { processes: 14, runs: 0 },
  "packages/adapters/bacnet": { processes: 22, runs: 500 },
  "packages/adapters/dispatch": { processes: 0, runs: 1100 },
  "packages/adapters/hue": { processes: 17, runs: 0 },
  "packages/adapters/mbus": { processes: 17, runs: 0 },
  "packages/adapters/modbus": { processes: 77, runs: 5500 },
  "packages/adapters/mqtt": { processes: 50, runs: 600 },
  "packages/adapters/onvif": { processes: 14, runs: 0 },
  "packages/adapters/port": { processes: 6, runs: 50 },
  "packages/adapters/rf433": { processes: 30, runs: 0 },
  "packages/adapters/sim": { processes: 26, runs: 0 },
  // Two networks with a renderer of Debian, which is started again.
  "packages/adapters/upnp": { processes: 22, runs: 0 },
  "packages/adapters/zigbee": { processes: 36, runs: 4600 },
  // A serial port that is pulled out and plugged in again is two of socat.
  "packages/adapters/zwave": { processes: 12, runs: 0 },
  "packages/api": { processes: 0, runs: 300 },
  "packages/cloud": { processes: 208, runs: 1120 },
  "packages/exposes": { processes: 0, runs: 500 },
  "packages/fleet": { processes: 10, runs: 1000 },
  "packages/fleet-nats": { processes: 3, runs: 0 },
  // Two servers with their set-up, each started again once; one with schemas, and three that follow each other.
  "packages/fleet-postgres": { processes: 10, runs: 0 },
  "packages/history": { processes: 10, runs: 4500 },
  "packages/host": { processes: 2, runs: 0 },
  // RAUC is started again for each of twenty power cuts.
  "packages/hub": { processes: 1166, runs: 3000 },
  "packages/kernel": { processes: 10, runs: 1800 },
  "packages/link": { processes: 0, runs: 770 },
  "packages/log": { processes: 30, runs: 1250 },
  "packages/model": { processes: 0, runs: 450 },
  "packages/rules": { processes: 0, runs: 1900 },
  "packages/signalr": { processes: 2, runs: 0 },
  "packages/testkit": { processes: 1, runs: 10_320 },
  // A hub, `ledge key` and a browser for each suite, and a hub that comes back.
  "packages/ui": { processes: 42, runs: 650 },
  scripts: { processes: 410, runs: 600 },
};

/** Sums up the cost of each package, the slowest first. */
export function spentBy(parts: readonly Spent[]): readonly Spent[] {
  const sums = new Map<string, Spent>();
  for (const part of parts) {
    const sum = sums.get(part.suite);
    sums.set(part.suite, {
      suite: part.suite,
      milliseconds: (sum?.milliseconds ?? 0) + part.milliseconds,
      cpuMs: (sum?.cpuMs ?? 0) + part.cpuMs,
      processes: (sum?.processes ?? 0) + part.processes,
      runs: (sum?.runs ?? 0) + part.runs,
    });
  }
  return [...sums.values()].toSorted((a, b) => b.milliseconds - a.milliseconds);
}

/** Returns one line for each budget that is exceeded. */
export function beyond(
  spent: readonly Spent[],
  allowed: Readonly<Record<string, Budget>> = budgets,
): readonly string[] {
  const kinds = { processes: "processes", runs: "runs of properties" } as const;
  return spent.flatMap((of) =>
    Object.entries(kinds).flatMap(([kind, what]) => {
      const most = allowed[of.suite]?.[kind as keyof Budget] ?? 0;
      const count = of[kind as keyof Budget];
      return count > most
        ? [`${of.suite}: ${count} ${what} exceed the budget of ${most} in scripts/test-budgets.ts`]
        : [];
    }),
  );
}
