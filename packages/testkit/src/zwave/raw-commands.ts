import { FunctionType, Message, MessageType } from "@zwave-js/serial";
import { Bytes } from "@zwave-js/shared";
import type { MockController } from "@zwave-js/testing";
import type { LearnMode } from "./learn-mode.ts";
import { nodeIdBytes, nodeIdIn } from "./node-ids.ts";
import { functionAt, payloadAt } from "./serial-frames.ts";

/** Callbacks of the Serial API (INS12350): ReplaceFailedNode and RequestNodeNeighborUpdate. */
const replace = { notFound: 8, ready: 3, done: 4, failed: 5 } as const;
const neighbors = { started: 0x21, done: 0x22, failed: 0x23 } as const;
/** A bit for each of 232 nodes. */
const routingBytes = 29;

/** NVMOperations (INS13954): operations and statuses. */
const nvm = { open: 0, read: 1, write: 2, close: 3, ok: 0, mismatch: 2, endOfFile: 0xff } as const;
/** As many as a frame holds. */
const pieceBytes = 240;

/** What the commands do to the network. */
export interface RawNetwork {
  readonly isSilent: (id: number) => boolean;
  /** Lets the next device that seeks a network take the place of a node; resolves when it has. */
  readonly replaceNext: (id: number) => Promise<void>;
  readonly hardReset: () => void;
  readonly learnMode: LearnMode;
  /** What the stick's memory holds. */
  readonly memory: () => Promise<Uint8Array>;
  /** The memory was written to, and is read anew. */
  readonly adopt: (memory: Uint8Array) => Promise<void>;
  readonly givesMemory: () => boolean;
}

/** Commands of the host that the library's controller cannot read. */
export class RawCommands {
  readonly #controller: MockController;
  readonly #network: RawNetwork;
  #opened: Uint8Array = new Uint8Array();
  /** The memory as it is being written, until the stick reads it anew. */
  #written: Uint8Array | undefined;
  /** Called before a piece of the memory is written, with its offset. */
  onWrite: (offset: number) => void = () => {};
  /** Called before a piece of the memory is read, with its offset. */
  onRead: (offset: number) => void = () => {};

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
    FunctionType.SetLearnMode,
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

  /** Lets the stick read its memory anew, if that was written to, whole or not. */
  async settle(): Promise<void> {
    const written = this.#written;
    this.#written = undefined;
    if (written) await this.#network.adopt(written);
  }

  async #answer(type: FunctionType, payload: Uint8Array): Promise<void> {
    const isSilent = (): boolean => this.#network.isSilent(nodeIdIn(payload, this.#controller));
    const callbackId = payload.at(-1) ?? 0;
    const callBack = (...rest: number[]): Promise<void> =>
      this.#send(MessageType.Request, type, [callbackId, ...rest]);
    const respond = (...bytes: number[]): Promise<void> => this.#send(MessageType.Response, type, bytes);
    if (type === FunctionType.GetRoutingInfo) return await respond(...Buffer.alloc(routingBytes));
    if (type === FunctionType.HardReset) {
      this.#network.hardReset();
      return await callBack();
    }
    if (type === FunctionType.SetLearnMode) {
      const [mode = 0] = payload;
      const goOn = this.#network.learnMode.set(mode, (status, nodeId) =>
        callBack(status, ...nodeIdBytes(nodeId, this.#controller), 0),
      );
      await respond(goOn ? 1 : 0);
      return await goOn?.();
    }
    if (type === FunctionType.RequestNodeNeighborUpdate) {
      await callBack(neighbors.started);
      return await callBack(isSilent() ? neighbors.failed : neighbors.done);
    }
    if (type === FunctionType.ReplaceFailedNode) {
      if (!isSilent()) return await respond(replace.notFound);
      await respond(0);
      await callBack(replace.ready);
      await this.#network.replaceNext(nodeIdIn(payload, this.#controller));
      return await callBack(replace.done);
    }
    if (type === FunctionType.SetRFReceiveMode) return await respond(1);
    if (type === FunctionType.NVMOperations) return await respond(...(await this.#nvm(payload)));
    // Routes are neither kept nor needed here.
    await respond(1);
    await callBack(0);
  }

  /** Answers an operation on the memory. */
  async #nvm([operation = 0, length = 0, high = 0, low = 0, ...data]: Uint8Array): Promise<
    readonly number[]
  > {
    const offset = (high << 8) | low;
    switch (operation) {
      case nvm.open:
        this.#opened = this.#written ?? (await this.#network.memory());
        return [nvm.ok, 0, this.#opened.length >> 8, this.#opened.length & 0xff];
      case nvm.read: {
        this.onRead(offset);
        if (!this.#network.givesMemory()) return [nvm.ok, 0, high, low];
        const piece = this.#opened.subarray(offset, offset + Math.min(length, pieceBytes));
        const status = offset + piece.length >= this.#opened.length ? nvm.endOfFile : nvm.ok;
        return [status, piece.length, high, low, ...piece];
      }
      case nvm.write: {
        this.onWrite(offset);
        this.#written = Uint8Array.from(this.#opened);
        this.#written.set(data.slice(0, length), offset);
        this.#opened = this.#written;
        const isEnd = offset + length >= this.#opened.length;
        return [isEnd ? nvm.endOfFile : nvm.ok, length, high, low];
      }
      case nvm.close:
        await this.settle();
        return [nvm.ok, 0];
      default:
        return [nvm.mismatch, 0];
    }
  }

  async #send(type: MessageType, functionType: FunctionType, payload: readonly number[]): Promise<void> {
    const message = new Message({ type, functionType });
    message.payload = Bytes.from([...payload]);
    await this.#controller.sendMessageToHost(message);
  }
}
