import type { Zcl } from "zigbee-herdsman";
import type { StickAdapter } from "./library-inside.ts";

/** A ZCL frame on its way to a device, as the library makes it. */
interface SentFrame {
  readonly header: { readonly transactionSequenceNumber: number };
  readonly cluster: { readonly ID: number };
  readonly command: { readonly ID: number; readonly response?: number };
}

/** A ZCL frame that has arrived, as a stick's driver emits it. */
interface Arrival {
  readonly address?: unknown;
  readonly endpoint?: unknown;
  readonly clusterID: number;
  readonly data: Buffer;
  readonly header?: Zcl.Header;
}

/** A sent frame whose answer is awaited. */
interface Awaited {
  readonly address: number;
  readonly endpoint: number;
  readonly frame: SentFrame;
  readonly refuse: (error: Error) => void;
}

/** The foundation command that answers a command without a response of its own, or a refused one (ZCL 2.5.12). */
const defaultResponse = 0x0b;
/** Clusters whose own statuses, such as "already a member", are answers and no refusals. */
const answering: ReadonlySet<number> = new Set([0x0004, 0x0005]);

/**
 * Turns the refusals of devices into errors with the name of the ZCL status. The library ignores a default
 * response when a command has a response of its own, and waits for that until it times out; and it ignores the
 * statuses of cluster commands that the definitions of models send.
 */
export class Refusals {
  /** Devices whose answers count at the moment, with the number of callers that want it. */
  readonly #judged = new Map<string, number>();

  /** Wraps a stick. */
  follow(adapter: StickAdapter): void {
    const awaited = new Set<Awaited>();
    adapter.on("zclPayload", (arrival) => void refused(adapter, awaited, arrival as Arrival));
    const send = adapter.sendZclFrameToEndpoint.bind(adapter);
    adapter.sendZclFrameToEndpoint = async (...args) => {
      const [ieee, address, endpoint, frame] = args as [string, number, number, SentFrame];
      // The library awaits the default response itself when the command has no response of its own.
      const isAwaited = frame.command.response !== undefined;
      const answer = await (isAwaited
        ? answered(send(...args), { address, endpoint, frame })
        : send(...args));
      if (this.#judged.has(ieee)) await assertTaken(answer as Arrival | undefined);
      return answer;
    };
    const answered = async (sent: Promise<unknown>, frame: Omit<Awaited, "refuse">): Promise<unknown> => {
      const { promise, reject } = Promise.withResolvers<never>();
      const one: Awaited = { ...frame, refuse: reject };
      awaited.add(one);
      try {
        return await Promise.race([sent, promise]);
      } finally {
        awaited.delete(one);
      }
    };
  }

  /** Runs work in which every status of a device but success is an error, also for commands of its definition. */
  async judging<T>(ieee: string, work: () => Promise<T>): Promise<T> {
    this.#judged.set(ieee, (this.#judged.get(ieee) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#judged.get(ieee) ?? 0) - 1;
      if (left > 0) this.#judged.set(ieee, left);
      else this.#judged.delete(ieee);
    }
  }
}

/** Ends the wait for an answer when a default response refuses its command. */
async function refused(
  adapter: StickAdapter,
  awaited: ReadonlySet<Awaited>,
  arrival: Arrival,
): Promise<void> {
  const status = defaultStatusOf(arrival);
  if (status === undefined || status === 0) return;
  const { header, address, endpoint, clusterID } = arrival;
  const one = [...awaited].find(
    (each) =>
      each.address === address &&
      each.endpoint === endpoint &&
      each.frame.cluster.ID === clusterID &&
      each.frame.header.transactionSequenceNumber === header?.transactionSequenceNumber,
  );
  if (one === undefined) return;
  one.refuse(await refusal(status));
  // The library sends the next frame to the device only when it has stopped waiting, so it gets an answer.
  const like = Object.create(Object.getPrototypeOf(header) as object) as object;
  const answer = {
    ...arrival,
    header: Object.assign(like, header, { commandIdentifier: one.frame.command.response }),
  };
  adapter.waitress?.resolve(answer);
  adapter.oneWaitress?.resolveZCL(answer);
}

/** @throws Error when an answer has another status than success. */
async function assertTaken(answer: Arrival | undefined): Promise<void> {
  if (answer?.header === undefined) return;
  const status = answer.header.isGlobal ? defaultStatusOf(answer) : await ownStatusOf(answer);
  if (status !== undefined && status !== 0) throw await refusal(status);
}

/** Returns the status of a default response, undefined for any other frame. */
function defaultStatusOf({ header, data }: Arrival): number | undefined {
  if (header?.isGlobal !== true || header.commandIdentifier !== defaultResponse) return undefined;
  return data[header.length + 1];
}

/** Returns the status in a cluster's own response, undefined for one without a status. */
async function ownStatusOf({ clusterID, header, data }: Arrival): Promise<number | undefined> {
  if (answering.has(clusterID)) return undefined;
  const { Zcl: library } = await import("zigbee-herdsman");
  try {
    const { payload } = library.Frame.fromBuffer(clusterID, header, data, {});
    const { status } = payload as { readonly status?: unknown };
    return typeof status === "number" ? status : undefined;
  } catch {
    // Responses of makers' own clusters have no standard status.
    return undefined;
  }
}

async function refusal(status: number): Promise<Error> {
  const { Zcl: library } = await import("zigbee-herdsman");
  return new Error(`the device answered ${library.Status[status] ?? `status ${status}`}`);
}
