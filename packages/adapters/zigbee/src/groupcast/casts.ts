import type { AdapterHost, CastAnswer, DeviceCommand, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Zcl } from "zigbee-herdsman";
import type { Chores } from "../chores.ts";
import { faultOf } from "../fault.ts";
import type { AttributeValues, Unit, ZclAction } from "../map/index.ts";
import { framesFor } from "../map/index.ts";
import type { Node, Nodes } from "../nodes.ts";
import type { Orders } from "../orders.ts";
import type { Radio } from "../radio.ts";
import type { Reports } from "../reports.ts";
import type { Sending } from "../sending.ts";
import { Broadcasts } from "./broadcasts.ts";
import { newsOf, shownOf, shows, whenOut } from "./evidence.ts";
import type { Memberships } from "./memberships.ts";
import { isCastWorth } from "./worth.ts";

/** How long to wait for reports before a device is read: some report at most once a second. */
const listenMs = 1300;
/** How long a value may take from the device's answer to the listeners. */
const hearMs = 200;
/** The time limit of a cast; afterwards the rest of the devices get the command singly. */
const castMs = 4000;

type Frame = Extract<ZclAction, { kind: "command" }>;

/** A device's part in a cast. */
interface Share {
  readonly native: NativeId;
  readonly node: Node;
  readonly unit: Unit;
  readonly frames: readonly Frame[];
}

/** A device whose reports are awaited. */
interface Listening extends Share {
  /** Resolves when it reports the wanted values. */
  readonly shown: Promise<true>;
  /** Whether the command changes something that the device will report. */
  readonly isNews: boolean;
  readonly stop: () => void;
}

/** A cast in progress. */
interface Run {
  readonly wanted: AttributeValues;
  readonly answered: CastAnswer;
  isOver: boolean;
}

/** Options of `Casts`. */
export interface CastsOptions {
  readonly host: Pick<AdapterHost, "clock">;
  readonly radio: Radio;
  readonly nodes: Nodes;
  readonly chores: Chores;
  readonly sending: Sending;
  readonly reports: Reports;
  readonly orders: Orders;
  readonly memberships: Memberships;
  readonly isReachable: (ieee: string) => boolean;
  /** How long routers remember a broadcast, ms. */
  readonly broadcastMs: number;
}

/**
 * Sends commands to groups. Devices do not acknowledge such a frame: a device has accepted it when it reports
 * the wanted values, or returns them when it is read.
 */
export class Casts {
  readonly #options: CastsOptions;
  readonly #broadcasts: Broadcasts;
  /** The library's names, once it is loaded: an import takes 0.1 ms also when there is nothing to load. */
  #zcl: typeof Zcl | undefined;

  constructor(options: CastsOptions) {
    this.#options = options;
    this.#broadcasts = new Broadcasts(options.host.clock, options.broadcastMs);
  }

  /** @throws AdapterError */
  async cast(
    group: string,
    natives: readonly NativeId[],
    command: DeviceCommand,
    answered: CastAnswer,
    signal: AbortSignal,
  ): Promise<void> {
    if (command.type !== "set")
      throw new AdapterError("unsupported", `a cast must be a set, not a ${command.type}`);
    const { memberships, radio } = this.#options;
    const { address, members } = memberships.of(group);
    const wanted = command.attributes;
    // No report shows which covers have stopped.
    if (wanted["stop"] !== undefined)
      throw new AdapterError("unsupported", "each cover must be stopped by a frame of its own");
    const shares = this.#sharesOf(natives, members, wanted, answered);
    const [first] = shares;
    if (first === undefined) return;
    const { left } = this.#broadcasts;
    if (!isCastWorth({ members: shares.length, frames: first.frames.length, left }))
      throw new AdapterError("busy", `the network passes on ${left} more frames to groups now`);
    const run: Run = { wanted, answered, isOver: false };
    const listening: Listening[] = [];
    try {
      await radio.use(async () => {
        const [opening, ...others] = first.frames.map((frame) => () => this.#send(address, frame, signal));
        // The frame first, which people wait for: no device is heard before this turn has ended.
        let sent = opening?.();
        for (const share of shares) listening.push(this.#listen(share, wanted));
        for (const next of others) {
          await sent;
          sent = next();
        }
        const shown = listening.flatMap((each) => (each.isNews ? [each.shown] : []));
        await whenOut(sent, shown);
        const ends = Promise.all(listening.map((each) => this.#end(each, run)));
        await this.#within(castMs, ends);
      }, signal);
    } finally {
      run.isOver = true;
      for (const { stop } of listening) stop();
    }
  }

  /** Returns the devices that can share the same frames, and answers the others with an error. */
  #sharesOf(
    natives: readonly NativeId[],
    members: ReadonlySet<NativeId>,
    wanted: AttributeValues,
    answered: CastAnswer,
  ): readonly Share[] {
    const byFrames = new Map<string, Share[]>();
    const refuse = (native: NativeId, error: unknown): void => answered(native, faultOf(error));
    for (const native of natives) {
      try {
        const share = this.#shareOf(native, members, wanted);
        const key = JSON.stringify(
          share.frames.map(({ cluster, name, payload }) => [cluster, name, payload]),
        );
        byFrames.set(key, [...(byFrames.get(key) ?? []), share]);
      } catch (error) {
        refuse(native, error);
      }
    }
    const alike = [...byFrames.values()].toSorted((a, b) => b.length - a.length);
    const [most = []] = alike;
    const shares = most.length > 1 ? most : [];
    for (const { native } of alike.flat().filter((share) => !shares.includes(share)))
      refuse(
        native,
        new AdapterError("unsupported", `${native} needs other frames than the rest of its group`),
      );
    return shares;
  }

  /** @throws AdapterError when the device must get the command singly. */
  #shareOf(native: NativeId, members: ReadonlySet<NativeId>, wanted: AttributeValues): Share {
    const { nodes, isReachable } = this.#options;
    const { node, unit } = nodes.kept(native);
    if (!members.has(native)) throw new AdapterError("refused", `${native} is not in the group on the radio`);
    if (!isReachable(node.ieee)) throw new AdapterError("unreachable", `${native} is out of reach`);
    const actions = framesFor(unit, wanted, node.valuesOf(unit));
    const frames = actions.flatMap((action) => (action.kind === "command" ? [action] : []));
    if (frames.length === 0 || frames.length < actions.length)
      throw new AdapterError("unsupported", `${native} needs more than a group frame can carry`);
    return { native, node, unit, frames };
  }

  async #send(address: number, { cluster, name, payload }: Frame, signal: AbortSignal): Promise<void> {
    this.#broadcasts.note();
    const zcl = (this.#zcl ??= (await import("zigbee-herdsman")).Zcl);
    await this.#options.radio.use(
      (controller) =>
        controller.sendRaw({
          groupId: address,
          clusterKey: cluster,
          zcl: {
            frameType: zcl.FrameType.SPECIFIC,
            direction: zcl.Direction.CLIENT_TO_SERVER,
            disableDefaultResponse: true,
            commandKey: name,
            payload: { ...payload },
          },
        }),
      signal,
    );
  }

  /** Listens for reports that show that a device has accepted its share. */
  #listen(share: Share, wanted: AttributeValues): Listening {
    const { native, node, unit } = share;
    const before = node.valuesOf(unit);
    const news = newsOf(wanted, before);
    const names = news.length > 0 ? news : shownOf(wanted);
    let said: AttributeValues = {};
    const { promise, resolve } = Promise.withResolvers<true>();
    const stop = this.#options.reports.listen(native, (attributes) => {
      said = { ...said, ...attributes };
      if (shows(names, said, wanted, before)) resolve(true);
    });
    node.tell(native, wanted);
    return { ...share, shown: promise, isNews: news.length > 0, stop };
  }

  async #end(listening: Listening, run: Run): Promise<void> {
    const { orders, memberships } = this.#options;
    const { native, node, unit, frames } = listening;
    const isTaken = await this.#isTaken(listening, run);
    if (run.isOver) return;
    if (isTaken) {
      orders.taken(node, unit, run.wanted, frames);
      run.answered(native);
      return;
    }
    run.answered(
      native,
      new AdapterError("timeout", `${native} does not report the values that its group was sent`),
    );
    // A device that was reset by hand is in no group any more.
    memberships.doubt(node);
  }

  async #isTaken(listening: Listening, run: Run): Promise<boolean> {
    const { shown, isNews } = listening;
    // A device that already has the wanted values has nothing to report.
    if (isNews && (await this.#within(listenMs, shown))) return true;
    if (run.isOver) return false;
    await Promise.race([shown, this.#read(listening, run)]);
    return await this.#within(hearMs, shown);
  }

  /** Reads a device ahead of other chores. Resolves also when it does not answer. */
  #read({ native, node, unit, frames }: Listening, run: Run): Promise<void> {
    const { chores, sending } = this.#options;
    const told = new Set(frames.map(({ cluster }) => cluster));
    return new Promise((resolve) => {
      const read = async (): Promise<void> => {
        try {
          for (const each of unit.setup.reads)
            if (told.has(each.cluster) && !run.isOver) await sending.once(node, each);
        } finally {
          resolve();
        }
      };
      chores.add(`ask ${native}`, read, "next");
    });
  }

  /** Whether a promise resolves in time. */
  async #within(ms: number, coming: Promise<unknown>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<false>();
    const cancel = this.#options.host.clock.after(ms, () => resolve(false));
    try {
      return await Promise.race([coming.then(() => true), promise]);
    } finally {
      cancel();
    }
  }
}
