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

/** NVMOperations (INS13954): operations, statuses, and how much a frame takes. */
const nvm = { open: 0, read: 1, close: 3, ok: 0, mismatch: 2, endOfFile: 0xff, pieceBytes: 48 } as const;

/** What the commands do to the network. */
export interface RawNetwork {
  readonly isSilent: (id: number) => boolean;
  /** Lets the next device that seeks a network take the place of a node; resolves when it has. */
  readonly replaceNext: (id: number) => Promise<void>;
  readonly hardReset: () => void;
  /** What the stick's memory holds. */
  readonly memory: () => Uint8Array;
  readonly givesMemory: () => boolean;
}

/** Commands of the host that the library's controller cannot read. */
export class RawCommands {
  readonly #controller: MockController;
  readonly #network: RawNetwork;
  #opened: Uint8Array = new Uint8Array();

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

  /** Those of a stick that gives its memory away. */
  static readonly ofMemory: readonly FunctionType[] = [
    FunctionType.SetRFReceiveMode,
    FunctionType.NVMOperations,
  ];

  /** Acknowledges and answers a frame that is one of these, and returns whether it is. */
  takes(frame: Uint8Array, acknowledge: () => void): boolean {
    const type = [...RawCommands.functions, ...RawCommands.ofMemory].find(
      (known: number) => known === frame[functionAt],
    );
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
    if (type === FunctionType.SetRFReceiveMode) return await respond(1);
    if (type === FunctionType.NVMOperations) return await respond(...this.#nvm(payload));
    // Routes are neither kept nor needed here.
    await respond(1);
    await callBack(0);
  }

  /** Answers an operation on the memory, which cannot be written. */
  #nvm([operation = 0, length = 0, high = 0, low = 0]: Uint8Array): readonly number[] {
    if (operation === nvm.open) {
      this.#opened = this.#network.memory();
      return [nvm.ok, 0, this.#opened.length >> 8, this.#opened.length & 0xff];
    }
    if (operation !== nvm.read) return [operation === nvm.close ? nvm.ok : nvm.mismatch, 0];
    if (!this.#network.givesMemory()) return [nvm.ok, 0, high, low];
    const offset = (high << 8) | low;
    const piece = this.#opened.subarray(offset, offset + Math.min(length, nvm.pieceBytes));
    const status = offset + piece.length >= this.#opened.length ? nvm.endOfFile : nvm.ok;
    return [status, piece.length, high, low, ...piece];
  }

  async #send(type: MessageType, functionType: FunctionType, payload: readonly number[]): Promise<void> {
    const message = new Message({ type, functionType });
    message.payload = Bytes.from([...payload]);
    await this.#controller.sendMessageToHost(message);
  }
}
