import type { AdapterHost, CastAnswer, DeviceCommand, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
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
import { newsOf, shownOf, shows } from "./evidence.ts";
import type { Memberships } from "./memberships.ts";

/** How long devices are listened to before they are asked: some report once a second at most. */
const listenMs = 1300;
/** How long after its answer what a device has said may still be on its way to whoever listens. */
const hearMs = 200;
/** Nobody is waited for any longer: then they are told singly. */
const castMs = 4000;

type Frame = Extract<ZclAction, { kind: "command" }>;

/** A device's part in a cast. */
interface Share {
  readonly native: NativeId;
  readonly node: Node;
  readonly unit: Unit;
  readonly frames: readonly Frame[];
}

/** A device that is listened to. */
interface Listening extends Share {
  /** Resolves when it shows what it was told. */
  readonly shown: Promise<true>;
  /** Whether it has something to report when it does as it is told. */
  readonly isNews: boolean;
  readonly stop: () => void;
}

/** A cast under way. */
interface Run {
  readonly wanted: AttributeValues;
  readonly answered: CastAnswer;
  isOver: boolean;
}

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
}

/**
 * Commands to groups. Nobody acknowledges such a frame: a device has taken it when it reports what it was told, or
 * shows that when it is asked.
 */
export class Casts {
  readonly #options: CastsOptions;
  readonly #broadcasts: Broadcasts;

  constructor(options: CastsOptions) {
    this.#options = options;
    this.#broadcasts = new Broadcasts(options.host.clock);
  }

  /** @throws AdapterError */
  async cast(
    group: string,
    natives: readonly NativeId[],
    command: DeviceCommand,
    answered: CastAnswer,
    signal: AbortSignal,
  ): Promise<void> {
    if (command.type !== "set") throw new AdapterError("unsupported", `no cast is a ${command.type}`);
    const { memberships, radio } = this.#options;
    const { address, members } = memberships.of(group);
    const wanted = command.attributes;
    const shares = this.#sharesOf(natives, members, wanted, answered);
    const [first] = shares;
    if (first === undefined) return;
    const run: Run = { wanted, answered, isOver: false };
    const listening = shares.map((share) => this.#listen(share, wanted));
    try {
      await radio.use(async () => {
        for (const frame of first.frames) await this.#send(address, frame, signal);
        const ends = Promise.all(listening.map((each) => this.#end(each, run)));
        await this.#within(castMs, ends);
      }, signal);
    } finally {
      run.isOver = true;
      for (const { stop } of listening) stop();
    }
  }

  /** The devices that one and the same frame makes do it; the others are answered. */
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
      refuse(native, new AdapterError("unsupported", `${native} is told otherwise than the others`));
    return shares;
  }

  /** @throws AdapterError when the device is to be told singly. */
  #shareOf(native: NativeId, members: ReadonlySet<NativeId>, wanted: AttributeValues): Share {
    const { nodes, isReachable } = this.#options;
    const { node, unit } = nodes.kept(native);
    if (!members.has(native)) throw new AdapterError("refused", `${native} is not in the group on the air`);
    if (!isReachable(node.ieee)) throw new AdapterError("unreachable", `${native} is out of reach`);
    const actions = framesFor(unit, wanted, node.valuesOf(unit));
    const frames = actions.flatMap((action) => (action.kind === "command" ? [action] : []));
    if (frames.length === 0 || frames.length < actions.length)
      throw new AdapterError("unsupported", `${native} is told more than frames to a group can say`);
    return { native, node, unit, frames };
  }

  async #send(address: number, { cluster, name, payload }: Frame, signal: AbortSignal): Promise<void> {
    await this.#broadcasts.turn(signal);
    const { Zcl } = await import("zigbee-herdsman");
    await this.#options.radio.use(
      (controller) =>
        controller.sendRaw({
          groupId: address,
          clusterKey: cluster,
          zcl: {
            frameType: Zcl.FrameType.SPECIFIC,
            direction: Zcl.Direction.CLIENT_TO_SERVER,
            disableDefaultResponse: true,
            commandKey: name,
            payload: { ...payload },
          },
        }),
      signal,
    );
  }

  /** Listens for what shows that a device has taken its share. */
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
    run.answered(native, new AdapterError("timeout", `${native} does not show what its group was told`));
    // It may have been reset by hand, and be in no group any more.
    memberships.doubt(node);
  }

  async #isTaken(listening: Listening, run: Run): Promise<boolean> {
    const { shown, isNews } = listening;
    // One that shows it already has nothing to report.
    if (isNews && (await this.#within(listenMs, shown))) return true;
    if (run.isOver) return false;
    await Promise.race([shown, this.#read(listening, run)]);
    return await this.#within(hearMs, shown);
  }

  /** Asks a device how it is, before what else is to be done. Resolves also when it does not answer. */
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

  /** Whether something comes within a time. */
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
