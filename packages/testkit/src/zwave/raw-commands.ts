import { FunctionType, Message, MessageType } from "@zwave-js/serial";
import { Bytes } from "@zwave-js/shared";
import type { MockController } from "@zwave-js/testing";

/** Where a frame of the host has its function and what follows it. */
const functionAt = 3;
const payloadAt = 4;

/** Callbacks of the Serial API (INS12350): ReplaceFailedNode and RequestNodeNeighborUpdate. */
const replace = { notFound: 8, ready: 3, done: 4, failed: 5 } as const;
const neighbors = { started: 0x21, done: 0x22, failed: 0x23 } as const;
/** A bit for each of 232 nodes. */
const routingBytes = 29;

/** What the commands do to the network. */
export interface RawNetwork {
  readonly isSilent: (id: number) => boolean;
  /** Lets the next device that seeks a network take the place of a node; resolves when it has. */
  readonly replaceNext: (id: number) => Promise<void>;
  readonly hardReset: () => void;
}

/** Commands of the host that the library's controller cannot read. */
export class RawCommands {
  readonly #controller: MockController;
  readonly #network: RawNetwork;

  constructor(controller: MockController, network: RawNetwork) {
    this.#controller = controller;
    this.#network = network;
  }

  /** The functions that a stick with them names. */
  static readonly functions: readonly FunctionType[] = [
    FunctionType.ReplaceFailedNode,
    FunctionType.RequestNodeNeighborUpdate,
    FunctionType.DeleteReturnRoute,
    FunctionType.AssignReturnRoute,
    FunctionType.GetRoutingInfo,
    FunctionType.HardReset,
  ];

  /** Acknowledges and answers a frame that is one of these, and returns whether it is. */
  takes(frame: Uint8Array, acknowledge: () => void): boolean {
    const type = RawCommands.functions.find((known: number) => known === frame[functionAt]);
    if (type === undefined) return false;
    acknowledge();
    void this.#answer(type, frame.subarray(payloadAt, -1));
    return true;
  }

  async #answer(type: FunctionType, payload: Uint8Array): Promise<void> {
    const [id = 0] = payload;
    const callbackId = payload.at(-1) ?? 0;
    const callBack = (...rest: number[]): Promise<void> =>
      this.#send(MessageType.Request, type, [callbackId, ...rest]);
    const respond = (...bytes: number[]): Promise<void> => this.#send(MessageType.Response, type, bytes);
    if (type === FunctionType.GetRoutingInfo) return await respond(...Buffer.alloc(routingBytes));
    if (type === FunctionType.HardReset) {
      this.#network.hardReset();
      return await callBack();
    }
    if (type === FunctionType.RequestNodeNeighborUpdate) {
      await callBack(neighbors.started);
      return await callBack(this.#network.isSilent(id) ? neighbors.failed : neighbors.done);
    }
    if (type === FunctionType.ReplaceFailedNode) {
      if (!this.#network.isSilent(id)) return await respond(replace.notFound);
      await respond(0);
      await callBack(replace.ready);
      await this.#network.replaceNext(id);
      return await callBack(replace.done);
    }
    // Routes are neither kept nor needed here.
    await respond(1);
    await callBack(0);
  }

  async #send(type: MessageType, functionType: FunctionType, payload: readonly number[]): Promise<void> {
    const message = new Message({ type, functionType });
    message.payload = Bytes.from([...payload]);
    await this.#controller.sendMessageToHost(message);
  }
}
