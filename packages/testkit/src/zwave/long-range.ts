import {
  encodeNodeProtocolInfo,
  isLongRangeNodeId,
  NodeIDType,
  NodeType,
  RFRegion,
  TransmitStatus,
} from "@zwave-js/core";
import { FunctionType, Message, MessageType } from "@zwave-js/serial";
import {
  GetNodeProtocolInfoRequest,
  GetSerialApiInitDataRequest,
  GetSerialApiInitDataResponse,
} from "@zwave-js/serial/serialapi";
import { Bytes } from "@zwave-js/shared";
import type { MockController, MockControllerBehavior } from "@zwave-js/testing";
import { longRangeIds, nodeIdIn, writeNodeIdsAs } from "./node-ids.ts";
import { functionAt, payloadAt } from "./serial-frames.ts";

/** Commands of SerialAPISetup (INS14259). */
const setup = {
  supported: 0x01,
  maximumPayload: 0x10,
  maximumPayloadLongRange: 0x11,
  supportedRegions: 0x15,
  regionInfo: 0x16,
  region: 0x20,
  setRegion: 0x40,
  nodeIdType: 0x80,
} as const;
const setupCommands: readonly number[] = Object.values(setup);
const payloadBytes = { mesh: 46, longRange: 160 } as const;

/** The regions that the stick knows: whether Long Range is on there, and the one of which it is a superset. */
const regions: ReadonlyMap<number, { readonly isLongRange: boolean; readonly includes?: RFRegion }> = new Map(
  [
    [RFRegion.Europe, { isLongRange: false }],
    [RFRegion.USA, { isLongRange: false }],
    [RFRegion["Australia/New Zealand"], { isLongRange: false }],
    [RFRegion["USA (Long Range)"], { isLongRange: true, includes: RFRegion.USA }],
    [RFRegion["Europe (Long Range)"], { isLongRange: true, includes: RFRegion.Europe }],
  ],
);
/** Where a stick can be sold, by the region that it has in factory state. */
export const factoryRegions = {
  europe: RFRegion.Europe,
  usa: RFRegion.USA,
  australia: RFRegion["Australia/New Zealand"],
} as const;

/** The library's controller reads these with ids of 8 bits alone. */
const routesToStick: readonly FunctionType[] = [
  FunctionType.AssignSUCReturnRoute,
  FunctionType.DeleteSUCReturnRoute,
];

/** What a host sets for ids of 16 bits. */
const longIds = 2;

/** A segment of the list of nodes has a bit for each of 1,024. */
const segmentBytes = 128;
const segmentNodes = segmentBytes * 8;
/** Of the two channels of Long Range, A. */
const channelA = 1;

/**
 * What a stick of the 800 series says of Long Range. It is on in some regions only. The region counts, and the ids of nodes have
 * 8 bits again, as soon as the stick starts anew.
 */
export class LongRange {
  readonly #controller: MockController;
  readonly #isSilent: (id: number) => boolean;
  #region: number;
  #nextRegion: number;

  /** @param isSilent whether a node answers nothing */
  constructor(
    controller: MockController,
    region: keyof typeof factoryRegions,
    isSilent: (id: number) => boolean,
  ) {
    this.#controller = controller;
    this.#isSilent = isSilent;
    this.#region = factoryRegions[region];
    this.#nextRegion = this.#region;
  }

  /** The functions that a stick with Long Range names besides others. */
  static readonly functions: readonly FunctionType[] = [
    FunctionType.SerialAPISetup,
    FunctionType.GetLongRangeNodes,
    FunctionType.GetLongRangeChannel,
    FunctionType.SetLongRangeShadowNodeIDs,
  ];

  /** Whether the stick hears nodes with Long Range. */
  get isOn(): boolean {
    return regions.get(this.#region)?.isLongRange === true;
  }

  /** The stick starts anew. */
  reset(): void {
    this.#region = this.#nextRegion;
    writeNodeIdsAs(NodeIDType.Short, this.#controller);
    Object.assign(this.#controller.capabilities, { supportsLongRange: this.isOn });
  }

  /** Acknowledges and answers a frame that is about Long Range, and returns whether it is. */
  takes(frame: Uint8Array, acknowledge: () => void): boolean {
    const route = routesToStick.find((known: number) => known === frame[functionAt]);
    if (route !== undefined && this.#controller.parsingContext.nodeIdType === NodeIDType.Long) {
      acknowledge();
      void this.#route(route, frame.subarray(payloadAt, -1));
      return true;
    }
    const type = LongRange.functions.find((known: number) => known === frame[functionAt]);
    if (type === undefined) return false;
    acknowledge();
    const answer = this.#answerTo(type, frame.subarray(payloadAt, -1));
    if (answer) void this.#respond(type, answer);
    return true;
  }

  /** Nodes with Long Range stand in a list of their own, and say in another way what they can do. */
  readonly behaviour: MockControllerBehavior = {
    onHostMessage: async (controller, message) => {
      if (message instanceof GetSerialApiInitDataRequest) {
        const { capabilities, ownNodeId, nodes } = controller;
        const nodeIds = [...nodes.keys()].filter((id) => !isLongRangeNodeId(id));
        const { zwaveApiVersion, isSecondary, supportsTimers, isSISPresent, zwaveChipType } = capabilities;
        const response = new GetSerialApiInitDataResponse({
          zwaveApiVersion,
          isPrimary: !isSecondary,
          nodeType: NodeType.Controller,
          supportsTimers,
          isSIS: isSISPresent && capabilities.isStaticUpdateController,
          nodeIds: [ownNodeId, ...nodeIds],
          ...(zwaveChipType !== undefined && { zwaveChipType }),
        });
        await controller.sendMessageToHost(response);
        return true;
      }
      if (!(message instanceof GetNodeProtocolInfoRequest)) return false;
      const node = controller.nodes.get(message.requestedNodeId);
      if (node === undefined || !isLongRangeNodeId(node.id)) return false;
      const { capabilities } = node;
      const { basicDeviceClass, genericDeviceClass, specificDeviceClass } = capabilities;
      await this.#respond(FunctionType.GetNodeProtocolInfo, [
        ...encodeNodeProtocolInfo({ ...capabilities, hasSpecificDeviceClass: true }, true),
        basicDeviceClass,
        genericDeviceClass,
        specificDeviceClass,
      ]);
      return true;
    },
  };

  /** Routes are neither kept nor needed here. */
  async #route(type: FunctionType, payload: Uint8Array): Promise<void> {
    await this.#send(MessageType.Response, type, [1]);
    const isSilent = this.#isSilent(nodeIdIn(payload, this.#controller));
    const status = isSilent ? TransmitStatus.NoAck : TransmitStatus.OK;
    await this.#send(MessageType.Request, type, [payload.at(-1) ?? 0, status]);
  }

  #answerTo(type: FunctionType, [command = 0, argument = 0]: Uint8Array): readonly number[] | undefined {
    if (type === FunctionType.SerialAPISetup) return this.#setUp(command, argument);
    if (type === FunctionType.GetLongRangeNodes) return this.#nodesIn(command);
    // The host says which ids of the stick it uses itself; that has no answer.
    return type === FunctionType.GetLongRangeChannel ? [channelA, 0] : undefined;
  }

  #setUp(command: number, argument: number): readonly number[] {
    switch (command) {
      case setup.supported:
        return [command, setup.supported, ...bitsOf(setupCommands, 1)];
      case setup.maximumPayload:
        return [command, payloadBytes.mesh];
      case setup.maximumPayloadLongRange:
        return [command, payloadBytes.longRange];
      case setup.supportedRegions:
        return [command, regions.size, ...regions.keys()];
      case setup.regionInfo: {
        const known = regions.get(argument);
        if (known === undefined) return [command, RFRegion.Unknown, 0, RFRegion.Unknown];
        return [command, argument, known.isLongRange ? 0b11 : 0b01, known.includes ?? RFRegion.Unknown];
      }
      case setup.region:
        return [command, this.#nextRegion];
      case setup.setRegion: {
        const isKnown = regions.has(argument);
        if (isKnown) this.#nextRegion = argument;
        return [command, isKnown ? 1 : 0];
      }
      case setup.nodeIdType:
        writeNodeIdsAs(argument === longIds ? NodeIDType.Long : NodeIDType.Short, this.#controller);
        return [command, 1];
      default:
        return [0, command];
    }
  }

  #nodesIn(segment: number): readonly number[] {
    const first = longRangeIds.first + segment * segmentNodes;
    const ids = [...this.#controller.nodes.keys()].filter((id) => id >= first);
    const here = ids.filter((id) => id < first + segmentNodes);
    const bits = bitsOf(here, first);
    const hasMore = here.length < ids.length;
    return [hasMore ? 1 : 0, segment, segmentBytes, ...bits, ...Buffer.alloc(segmentBytes - bits.length)];
  }

  async #respond(functionType: FunctionType, payload: readonly number[]): Promise<void> {
    await this.#send(MessageType.Response, functionType, payload);
  }

  async #send(type: MessageType, functionType: FunctionType, payload: readonly number[]): Promise<void> {
    const message = new Message({ type, functionType });
    message.payload = Bytes.from([...payload]);
    await this.#controller.sendMessageToHost(message);
  }
}

/** Returns a mask with a bit for each of the numbers, of which the lowest stands for `first`. */
function bitsOf(numbers: readonly number[], first: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((Math.max(first - 1, ...numbers) - first + 1) / 8));
  for (const bit of numbers.map((number) => number - first))
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
  return bytes;
}
