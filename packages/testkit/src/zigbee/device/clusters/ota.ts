import { Cluster } from "../cluster.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";
import type { Status } from "../zcl/status.ts";
import { status } from "../zcl/status.ts";
import { type Firmware, imageProblem } from "./ota-image.ts";

/** How an update fails: the device never asks, falls silent, or gives up at some octet. */
export interface OtaFault {
  readonly refuses?: boolean;
  readonly stallsAt?: number;
  readonly abortsAt?: number;
}

type Name = "server" | "offset" | "version" | "progress" | "manufacturerCode" | "imageType" | "blockDelay";

const nothingYet = 0xffff_ffff;
/** States of `imageUpgradeStatus`. */
const progress = { normal: 0, downloading: 1, complete: 2, waitingToUpgrade: 3, countDown: 4 } as const;
/** How long (ms) to wait for an answer before asking again. */
const patience = 5000;
const attempts = 4;

interface Download {
  readonly version: number;
  readonly image: Uint8Array;
  offset: number;
}

/** The client side of the OTA cluster (0x0019), which downloads new firmware block by block. */
export class Ota extends Cluster<Name> {
  readonly #firmware: Firmware;
  readonly #blockSize: number;
  #fault: OtaFault = {};
  #download: Download | null = null;
  #peerEndpoint = 1;
  #cancel: () => void = () => undefined;
  /** Called when a new firmware runs. */
  onUpgraded: ((version: number) => void) | undefined;

  constructor(firmware: Firmware, blockSize = 50) {
    super(
      0x0019,
      {
        server: { id: 0x0000, type: "ieee", value: "0xffffffffffffffff" },
        offset: { id: 0x0001, type: "uint32", value: nothingYet },
        version: { id: 0x0002, type: "uint32", value: firmware.version },
        progress: { id: 0x0006, type: "enum8", value: progress.normal },
        manufacturerCode: { id: 0x0007, type: "uint16", value: firmware.manufacturerCode },
        imageType: { id: 0x0008, type: "uint16", value: firmware.imageType },
        blockDelay: { id: 0x0009, type: "uint16", value: 0 },
      },
      { side: "client" },
    );
    this.#firmware = firmware;
    this.#blockSize = blockSize;
    this.on(0x00, (_payload, { peerEndpoint }) => this.#notified(peerEndpoint));
    this.on(0x02, (payload) => this.#offered(payload));
    this.on(0x05, (payload) => this.#block(payload));
    this.on(0x07, (payload) => this.#finish(payload));
  }

  get version(): number {
    return this.number("version");
  }

  get isDownloading(): boolean {
    return this.#download !== null;
  }

  /** How many octets it has so far. */
  get offset(): number {
    return this.#download?.offset ?? 0;
  }

  /** Makes the next update fail; an empty object makes it succeed. */
  fail(fault: OtaFault): void {
    this.#fault = fault;
  }

  /** A device that has fallen silent goes on with its download. */
  resume(): void {
    this.#fault = {};
    this.#ask();
  }

  /** Asks for new firmware on its own, as real devices do now and then. */
  query(): void {
    const { manufacturerCode, imageType } = this.#firmware;
    const payload = write().uint8(0).uint16(manufacturerCode).uint16(imageType).uint32(this.version).done();
    this.#say(0x01, payload);
  }

  override poweredOn(): void {
    this.#reset();
  }

  override forget(): void {
    this.#reset();
  }

  #notified(peerEndpoint: number): null {
    this.#peerEndpoint = peerEndpoint;
    if (this.#fault.refuses !== true) this.query();
    return null;
  }

  #offered(payload: ByteReader): undefined {
    if (payload.uint8() !== status.success) return;
    const [manufacturerCode, imageType, version, size] = [
      payload.uint16(),
      payload.uint16(),
      payload.uint32(),
      payload.uint32(),
    ];
    const isMine =
      manufacturerCode === this.#firmware.manufacturerCode && imageType === this.#firmware.imageType;
    if (!isMine || this.#fault.refuses === true) return;
    this.#download = { version, image: new Uint8Array(size), offset: 0 };
    this.set({ progress: progress.downloading, offset: 0 });
    this.#ask();
  }

  #block(payload: ByteReader): Status | undefined {
    const download = this.#download;
    const result = payload.uint8();
    if (!download) return status.abort;
    if (result === status.waitForData) return this.#waitForData(payload);
    if (result !== status.success) return this.#reset();
    payload.bytes(8);
    const offset = payload.uint32();
    const data = payload.bytes(payload.uint8());
    if (offset !== download.offset || offset + data.length > download.image.length) return undefined;
    download.image.set(data, offset);
    download.offset += data.length;
    this.set({ offset: download.offset });
    if (download.offset < download.image.length) this.#ask();
    else this.#end();
    return undefined;
  }

  #waitForData(payload: ByteReader): undefined {
    const [now, then] = [payload.uint32(), payload.uint32()];
    this.#cancel();
    this.#cancel = this.host.after(Math.max(0, then - now) * 1000, () => this.#ask());
  }

  /** Asks for the next block, and again when there is no answer. */
  #ask(attempt = 1): void {
    this.#cancel();
    const download = this.#download;
    if (!download) return;
    const { stallsAt = Infinity, abortsAt = Infinity } = this.#fault;
    if (download.offset >= stallsAt) return;
    if (download.offset >= abortsAt) return this.#giveUp(status.abort);
    if (attempt > attempts) return this.#reset();
    const size = Math.min(this.#blockSize, download.image.length - download.offset);
    this.#say(0x03, this.#about(write().uint8(0), download).uint32(download.offset).uint8(size).done());
    this.#cancel = this.host.after(patience, () => this.#ask(attempt + 1));
  }

  #end(): void {
    this.#cancel();
    const download = this.#download;
    if (!download) return;
    if (imageProblem(download.image, { ...this.#firmware, version: download.version })) {
      return this.#giveUp(status.invalidImage);
    }
    this.set({ progress: progress.complete });
    this.#say(0x06, this.#about(write().uint8(status.success), download).done());
  }

  #giveUp(result: Status): void {
    const download = this.#download;
    if (download) this.#say(0x06, this.#about(write().uint8(result), download).done());
    this.#reset();
  }

  /** Handles the answer to the end of a download: the new firmware runs after a delay, or never (all ones). */
  #finish(payload: ByteReader): undefined {
    payload.bytes(8);
    const [now, then] = [payload.uint32(), payload.uint32()];
    const download = this.#download;
    if (!download || download.offset < download.image.length || then === nothingYet) return;
    this.set({ progress: progress.countDown });
    this.#cancel = this.host.after(Math.max(0, then - now) * 1000, () => {
      this.set({ version: download.version });
      this.host.sibling(0x0000)?.set({ softwareBuild: buildOf(download.version) });
      this.#reset();
      this.onUpgraded?.(download.version);
    });
  }

  #about(to: ReturnType<typeof write>, { version }: Download): ReturnType<typeof write> {
    return to.uint16(this.#firmware.manufacturerCode).uint16(this.#firmware.imageType).uint32(version);
  }

  #say(command: number, payload: Uint8Array): void {
    this.host.sendTo(this.#peerEndpoint, this, { command, payload, wantsDefaultResponse: true });
  }

  #reset(): undefined {
    this.#cancel();
    this.#download = null;
    this.set({ progress: progress.normal, offset: nothingYet });
  }
}

/** Returns a version in the form of the basic cluster. */
export function buildOf(version: number): string {
  return `${version >>> 24}.${(version >> 16) & 0xff}.${version & 0xffff}`;
}
