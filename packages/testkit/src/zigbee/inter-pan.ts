import type { Ieee, InterPanFrame, InterPanLine } from "./air.ts";
import type { Clock } from "../clock.ts";
import type { AirNode } from "./air-node.ts";
import type { AirChannel } from "./channel/channel.ts";
import { interPanOctetsOf } from "./channel/time-on-air.ts";
import type { FrameLog } from "./frame-log.ts";
import type { Confirm, InterPanRadio } from "./network.ts";
import { status } from "./frame-status.ts";

/** The first of touchlink's primary channels, on which a device without a network listens (ZCL 13.3.4.5). */
const factoryNewChannel = 11;
/** A device answers touchlink only from so near (ZCL 13.3.4.1.2); this is the link quality of about a metre. */
const nearLqi = 150;

/** The parts of an air that carry frames between networks. */
export interface InterPanOptions {
  readonly nodes: readonly AirNode[];
  readonly clock: Clock;
  readonly log: FrameLog;
  /** Takes a device out of its network and resets it. */
  readonly reset: (node: AirNode) => void;
  readonly channel: AirChannel;
}

/** Carries inter-PAN frames (Zigbee specification, annex B): over one hop, unsecured, on one channel. */
export class InterPan {
  readonly #options: InterPanOptions;

  constructor(options: InterPanOptions) {
    this.#options = options;
  }

  /**
   * Sends a frame of a radio.
   * @param to null for every device on the channel
   */
  send(radio: InterPanRadio, to: Ieee | null, frame: InterPanFrame, confirm: Confirm): void {
    const { channel } = this.#options;
    const hop = { sender: radio, octets: interPanOctetsOf(frame), isRelayed: false };
    const hearers = (): readonly AirNode[] =>
      this.#options.nodes.filter((node) => hears(node, frame.channel, to));
    const end: Confirm = (code) => {
      confirm(code);
      if (code !== status.success) return;
      for (const node of hearers()) node.device.receivedInterPan?.(frame, this.#line(node, radio, frame));
    };
    this.#log(null, to, frame);
    if (to === null) channel.broadcast(hop, end);
    else channel.unicast(hop, () => hearers().length > 0, end);
  }

  #line(node: AirNode, radio: InterPanRadio, { channel, from }: InterPanFrame): InterPanLine {
    const { clock, reset } = this.#options;
    const { ieee } = node.device;
    return {
      network: node.place?.network ?? null,
      nwk: node.place?.nwk ?? null,
      now: () => clock.now(),
      answer: (answer) => {
        const frame = { ...answer, channel, from: ieee };
        this.#log(ieee, from, frame);
        const hop = { sender: node, octets: interPanOctetsOf(frame), isRelayed: false };
        const isReceived = (): boolean => radio.channel === channel;
        this.#options.channel.unicast(hop, isReceived, (code) => {
          if (code === status.success) radio.receivedInterPan(frame, node.lqi);
        });
      },
      reset: () => reset(node),
    };
  }

  #log(from: Ieee | null, to: Ieee | null, { profile, cluster, payload }: InterPanFrame): void {
    const { log, clock } = this.#options;
    const at = clock.now();
    const sent = { profile, cluster, payload, group: null, endpoint: 0xfe };
    log.frames.push({ at, kind: "inter-PAN", from, to, ...sent });
  }
}

function hears(node: AirNode, channel: number, to: Ieee | null): boolean {
  if (!node.isPresent || !node.isAwake || node.lqi < nearLqi) return false;
  if (to !== null && node.device.ieee !== to) return false;
  return (node.place?.network.channel ?? factoryNewChannel) === channel;
}
