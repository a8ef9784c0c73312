// How fast the events of sites leave a cloud, and how late they arrive: at one target, at a hundred, and while another
// site sends what a long outage has left.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "@ledge/model";
import { type Live, type Load, siteName, type Told } from "./egress/loads.ts";
import { BenchReceiver } from "./egress/receiver.ts";
import type { Figure } from "./figure.ts";
import { forked } from "./forked.ts";
import { quantile } from "./rounds.ts";

const patienceMs = 600_000;

/** @returns figures of the group `egress` */
export async function egressFigures(): Promise<readonly Figure[]> {
  return [
    ...(await targets("one target", { sites: 1, targetsOfSite: 1, waiting: 20_000 }, 100)),
    ...(await targets("100 targets", { sites: 5, targetsOfSite: limits.egressTargets, waiting: 1000 }, 20)),
    ...(await backlog()),
  ];
}

const liveSeconds = 10;

async function targets(
  name: string,
  load: Pick<Load, "sites" | "targetsOfSite" | "waiting">,
  perSecond: number,
): Promise<readonly Figure[]> {
  const { sites, targetsOfSite, waiting } = load;
  return withCloud(load, async (child, receiver) => {
    const all = sites * targetsOfSite * waiting;
    const begun = performance.now();
    await told(child, "send");
    await arrived(receiver, () => receiver.events >= all);
    const seconds = (performance.now() - begun) / 1000;
    receiver.isTiming = true;
    const events = perSecond * liveSeconds;
    const live = { sites: Array.from({ length: sites }, (_, at) => at), perSecond, events };
    await told(child, live);
    const whole = all + events * targetsOfSite;
    await arrived(receiver, () => receiver.events >= whole);
    const delays = [...receiver.delays.values()].flat();
    const how = `${perSecond} events/s for ${liveSeconds} s, from the change to the receiver, of which 10 ms are the wait for others`;
    const usual = { limit: null, gated: false } as const;
    return [
      {
        name: `egress to ${name}, rate`,
        value: all / seconds,
        unit: "events/s",
        ...usual,
        how: `${waiting} events of each of ${sites} sites that wait in the log, to ${targetsOfSite} targets of each, ${limits.egressFetchUsual} in a request`,
      },
      ...[0.5, 0.99].map((share) => {
        const value = quantile(delays, share);
        return { name: `egress to ${name}, delay p${share * 100}`, value, unit: "ms", ...usual, how };
      }),
      {
        name: `egress to ${name}, events missing or out of order`,
        value: whole - receiver.events + receiver.strays,
        unit: "events",
        limit: "<= 0",
        gated: true,
        how: `of ${whole}`,
      },
    ];
  });
}

const quietEvents = 200;
const quietPerSecond = 50;

/** One site has as many events as the cloud keeps; another one sends as ever, alone and meanwhile. */
async function backlog(): Promise<readonly Figure[]> {
  const waiting = limits.egressKeptEvents;
  const load = { sites: 2, targetsOfSite: 1, waiting: 0 };
  return withCloud(load, async (child, receiver) => {
    const live: Live = { sites: [1], perSecond: quietPerSecond, events: quietEvents };
    await told(child, "send");
    receiver.isTiming = true;
    await told(child, live);
    await arrived(receiver, () => receiver.of(siteName(1)) >= quietEvents);
    const alone = quantile(receiver.delays.get(siteName(1)) ?? [], 0.99);
    receiver.refuses = siteName(0);
    const many: Live = { sites: [0], perSecond: null, events: waiting };
    await told(child, many);
    // What comes after them arrives when all of them wait for their receiver.
    await told(child, { ...live, events: 1 });
    await arrived(receiver, () => receiver.of(siteName(1)) > quietEvents);
    receiver.delays.clear();
    receiver.refuses = undefined;
    await arrived(receiver, () => receiver.of(siteName(0)) > 0);
    const begun = performance.now();
    await told(child, live);
    const meanwhile = receiver.of(siteName(0));
    await arrived(receiver, () => receiver.of(siteName(1)) > 2 * quietEvents);
    const beside = quantile(receiver.delays.get(siteName(1)) ?? [], 0.99);
    await arrived(receiver, () => receiver.of(siteName(0)) >= waiting);
    const seconds = (performance.now() - begun) / 1000;
    return [
      {
        name: "egress of an outage's events, rate",
        value: waiting / seconds,
        unit: "events/s",
        limit: null,
        gated: false,
        how: `${waiting} events of a site whose receiver has refused them, ${limits.egressFetchUsual} in a request`,
      },
      {
        name: "egress of another site meanwhile, delay p99",
        value: beside,
        unit: "ms",
        limit: null,
        gated: false,
        how: `${quietEvents} events, ${quietPerSecond}/s, while ${meanwhile} events of the outage were sent; ${alone.toFixed(1)} ms alone`,
      },
    ];
  });
}

async function withCloud(
  load: Pick<Load, "sites" | "targetsOfSite" | "waiting">,
  measure: (child: ChildProcess, receiver: BenchReceiver) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const receiver = await BenchReceiver.start();
  const whole: Load = { url: receiver.url, fetchMaxEvents: limits.egressFetchUsual, ...load };
  const child = forked("egress-cloud.child.ts", folder, JSON.stringify(whole));
  try {
    await once(child, "message");
    return await measure(child, receiver);
  } finally {
    child.kill("SIGKILL");
    receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Tells a child something, and waits until it has begun or done it. */
async function told(child: ChildProcess, what: Told): Promise<void> {
  const answered = once(child, "message");
  child.send(what);
  await answered;
}

/** @throws Error when it takes too long */
async function arrived(receiver: BenchReceiver, isThere: () => boolean): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!isThere()) {
    if (performance.now() > end) throw new Error(`only ${receiver.events} events arrived`);
    await sleep(2);
  }
}
