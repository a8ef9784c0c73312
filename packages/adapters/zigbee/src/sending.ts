import type { AdapterClock } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { faultOf, isFinal, isHeldFull, isWithoutRoom } from "./fault.ts";
import type { Hearing } from "./hearing.ts";
import type { DeviceAction } from "./map/index.ts";
import type { NamedEndpoint } from "./node.ts";
import { endpointOf, isMains } from "./node.ts";
import type { Addresses } from "./addresses.ts";
import type { Node } from "./nodes.ts";
import type { Radio } from "./radio.ts";
import { cancelled } from "./radio.ts";
import type { Refusals } from "./refusals.ts";
import type { StickWindow } from "./window.ts";
import { roomPausesMs } from "./window.ts";

/** How long an answer may take. The parent of a sleeping device holds a frame for seven seconds. */
const answerMs = { awake: 4000, sleepy: 8000 } as const;

/** Sends frames to devices and waits for each answer. A stick that has no room for a frame gets it again soon. */
export class Sending {
  readonly #clock: AdapterClock;
  readonly #radio: Radio;
  readonly #hearing: Hearing;
  readonly #refusals: Refusals;
  readonly #addresses: Pick<Addresses, "certain">;
  readonly #window: StickWindow;
  readonly #said: (node: Node, properties: Readonly<Record<string, unknown>>) => void;
  /** Devices that did not answer last: the library searches new routes to them. */
  readonly #silent = new Set<string>();

  /** @param said gets what converters publish about values they have set. */
  constructor(
    clock: AdapterClock,
    radio: Radio,
    hearing: Hearing,
    refusals: Refusals,
    addresses: Pick<Addresses, "certain">,
    window: StickWindow,
    said: (node: Node, properties: Readonly<Record<string, unknown>>) => void,
  ) {
    this.#clock = clock;
    this.#radio = radio;
    this.#hearing = hearing;
    this.#refusals = refusals;
    this.#addresses = addresses;
    this.#window = window;
    this.#said = said;
  }

  /**
   * Performs actions in order. For a sleeping device each one waits until the device is awake.
   * @throws AdapterError of the first failure; `cancelled` by the signal at any point.
   */
  async insist(node: Node, actions: readonly DeviceAction[], signal: AbortSignal): Promise<void> {
    for (const action of actions) {
      if (isMains(node.facts)) await this.once(node, action, signal);
      else await this.#whenAwake(node, action, signal);
    }
  }

  /**
   * Performs one action without a retry.
   * @throws AdapterError; `cancelled` by the signal, after which no frame is given to the stick.
   */
  async once(node: Node, action: DeviceAction, signal?: AbortSignal): Promise<void> {
    const { ieee } = node;
    const isSilent = this.#silent.has(ieee);
    try {
      await this.#radio.use(async () => {
        const certain = this.#addresses.certain(ieee);
        if (certain !== undefined) await certain;
        const perform = (): Promise<void> => this.#perform(node, action, !isSilent);
        await this.#refusals.judging(ieee, () => this.#whenRoom(perform, action, signal));
      }, signal);
      this.#silent.delete(ieee);
    } catch (error) {
      const fault = faultOf(error);
      if (fault.code === "unreachable" || fault.code === "timeout") this.#unanswered(ieee);
      else if (isFinal(fault)) this.#silent.delete(ieee);
      throw fault;
    }
  }

  /** Repeats a frame that the stick refused for want of room. A converter may have sent half of its frames. */
  async #whenRoom(
    perform: () => Promise<void>,
    { kind }: DeviceAction,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const attempt = async (): Promise<void> => {
      // The caller waits no longer, and a newer command may have been sent.
      if (signal?.aborted === true) throw cancelled();
      await this.#window.learnFrom(perform);
    };
    for (const pauseMs of kind === "convert" ? [] : roomPausesMs) {
      try {
        return await attempt();
      } catch (error) {
        if (!isWithoutRoom(error)) throw error;
      }
      await new Promise<void>((resolve) => this.#clock.after(pauseMs, resolve));
    }
    await attempt();
  }

  /** A device has left the network for good. */
  forget(ieee: string): void {
    this.#silent.delete(ieee);
  }

  /** Marks a device as silent, unless it has left or the network is down. */
  #unanswered(ieee: string): void {
    if (this.#radio.device(ieee) !== undefined) this.#silent.add(ieee);
  }

  async #whenAwake(node: Node, action: DeviceAction, signal: AbortSignal): Promise<void> {
    for (;;) {
      const awake = Promise.withResolvers<void>();
      // Registered before the frame is sent: the device may wake while the frame is on its way.
      const cancel = this.#hearing.next(node.ieee, awake.resolve);
      try {
        return await this.once(node, action, signal);
      } catch (error) {
        const fault = faultOf(error);
        const isAsleep = fault.code === "unreachable" || fault.code === "timeout" || isHeldFull(fault);
        if (!isAsleep) throw error;
        await this.#radio.use(() => awake.promise, signal);
      } finally {
        cancel();
      }
    }
  }

  async #perform(node: Node, action: DeviceAction, isQuick: boolean): Promise<void> {
    const device = this.#radio.device(node.ieee);
    if (device === undefined) throw new AdapterError("unreachable", `${node.ieee} is not in the network`);
    if (action.kind === "convert") {
      if (node.model === undefined) throw new AdapterError("unsupported", `${action.key} cannot be set`);
      this.#said(node, await node.model.set(action));
      return;
    }
    const options = {
      // The library's own retries would outlast the caller and send outdated commands.
      disableRecovery: isQuick,
      sendPolicy: "immediate",
      timeout: isMains(node.facts) ? answerMs.awake : answerMs.sleepy,
    } as const;
    await zcl(endpointOf(device, action.endpoint), action, options);
  }
}

interface Options {
  readonly disableRecovery: boolean;
  readonly sendPolicy: "immediate";
  readonly timeout: number;
}

type ZclAction = Exclude<DeviceAction, { kind: "convert" }>;

/**
 * Sends a frame. The library makes three errors for each, in case that no answer comes, and to record the stack for
 * those takes longer than to make the frame: only their texts are used.
 */
async function zcl(endpoint: NamedEndpoint, action: ZclAction, options: Options): Promise<void> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  let sent: Promise<unknown>;
  try {
    sent = given(endpoint, action, options);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  await sent;
}

function given(endpoint: NamedEndpoint, action: ZclAction, options: Options): Promise<unknown> {
  const { cluster } = action;
  if (action.kind === "read") return endpoint.read(cluster, action.attributes, options);
  if (action.kind === "write") return endpoint.write(cluster, action.values, options);
  return endpoint.command(cluster, action.name, action.payload, options);
}
