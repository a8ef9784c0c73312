import type { InterPanLine } from "../../air.ts";
import type { Reply } from "../cluster.ts";
import { Cluster } from "../cluster.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";
import { Identify } from "./identify.ts";

const command = { scan: 0x00, scanned: 0x01, identify: 0x06, reset: 0x07 } as const;
/** An identify request for the time that the device chooses (ZCL 13.3.2.2.4). */
const ownTime = 0xffff;
const ownSeconds = 3;
/** A transaction lives for so long after its scan (aplcInterPANTransIdLifetime, ZCL 13.3.4.1). */
const transactionMs = 8000;
const noNwk = 0xffff;

/** Lets a remote or a stick nearby take the device over by inter-PAN frames (0x1000; ZCL 13.3). */
export class Touchlink extends Cluster<never> {
  #transaction: { readonly id: number; readonly until: number } | null = null;

  constructor() {
    super(0x1000, {});
  }

  /**
   * Carries out an inter-PAN command.
   * @returns the answer; null for none
   * @throws Truncated
   */
  heard(id: number, payload: ByteReader, line: InterPanLine): Reply | null {
    const now = line.now();
    const transaction = payload.uint32();
    if (id === command.scan) {
      this.#transaction = { id: transaction, until: now + transactionMs };
      return { command: command.scanned, payload: scanned(transaction, line) };
    }
    const isOpen = this.#transaction?.id === transaction && now < this.#transaction.until;
    if (!isOpen) return null;
    if (id === command.identify) {
      const seconds = payload.uint16();
      const identify = this.host.sibling(0x0003);
      if (identify instanceof Identify) identify.show(seconds === ownTime ? ownSeconds : seconds);
    }
    if (id === command.reset) {
      this.#transaction = null;
      line.reset();
    }
    return null;
  }
}

/** Scan response of a device with one sub-device, a lamp (ZCL 13.3.2.3.1). */
function scanned(transaction: number, { network, nwk }: InterPanLine): Uint8Array {
  const isFactoryNew = network === null;
  const extendedPanId = Buffer.from(network?.extendedPanId ?? "0000000000000000", "hex").toReversed();
  // RSSI correction 0; a router whose receiver is on; factory new or not; certified and development keys.
  const head = write()
    .uint32(transaction)
    .uint8(0)
    .uint8(0x05)
    .uint8(isFactoryNew ? 0x01 : 0x00);
  head
    .uint16(0x8001)
    .uint32(transaction)
    .bytes(extendedPanId)
    .uint8(0)
    .uint8(network?.channel ?? 0);
  head
    .uint16(network?.panId ?? noNwk)
    .uint16(nwk ?? noNwk)
    .uint8(1)
    .uint8(0);
  return head.uint8(1).uint16(0x0104).uint16(0x0101).uint8(2).uint8(0).done();
}
