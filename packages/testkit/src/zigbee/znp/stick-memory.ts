import type { Random } from "../../random.ts";
import type { Ieee } from "../air.ts";
import { ByteReader, wire, hexOf, fromHex, ieeeBytes, ieeeOf } from "../bytes.ts";
import type { Network } from "../network.ts";
import type { StickImage } from "../coordinator-stick.ts";
import { Nvram } from "./nvram.ts";

/** Items of the old numbering. */
export const item = {
  extendedAddress: 0x01,
  startupOption: 0x03,
  nib: 0x21,
  extendedPanId: 0x2d,
  activeKey: 0x3a,
  alternateKey: 0x3b,
  apsLinkKeyTable: 0x4c,
  preconfiguredKey: 0x62,
  networkKey: 0x82,
  panId: 0x83,
  channels: 0x84,
  linkKeySeed: 0x101,
} as const;

/** Tables, with one entry per sub-item. */
export const table = { addresses: 1, linkKeys: 4, apsKeys: 6, securityMaterial: 7 } as const;

/** Bits of the startup option, for what the next reset clears. */
const clearConfiguration = 1;
const clearState = 2;

const configuration = [item.extendedPanId, item.preconfiguredKey, item.panId, item.channels];

/** Offsets in the network information base, as laid out for 16-bit alignment. */
const nib = { length: 116, channel: 24, panId: 36, channels: 40, extendedPanId: 57, updateId: 114 } as const;

/** The use of an entry in the address table: for a child, or for a device with a key. */
const use = { child: 1, security: 2 } as const;
const noNetwork = 0xffff;
/** Erased memory has all bits set. */
const erased = new Uint8Array(8).fill(0xff);

/** The memory of a stick, with the stack's structures aligned as on the ARM chips. */
export class StickMemory {
  readonly nvram: Nvram;
  readonly #tableSize: number;
  readonly #random: Random;

  /**
   * @param factory the maker's address, which memory restored from another stick may override
   * @param tableSize size of the tables of addresses and keys
   */
  constructor(image: StickImage | undefined, factory: Ieee, tableSize: number, random: Random) {
    this.nvram = new Nvram(image);
    this.#tableSize = tableSize;
    this.#random = random;
    if (!this.nvram.isBlank) return;
    this.nvram.setItem(item.extendedAddress, ieeeBytes(factory));
    this.nvram.setItem(item.networkKey, new Uint8Array(24));
    this.nvram.setItem(item.startupOption, Uint8Array.of(0));
    this.#clearState();
  }

  get ieee(): Ieee {
    return ieeeOf(this.nvram.item(item.extendedAddress) ?? erased);
  }

  /** Applies a reset to the memory. */
  reset(): void {
    const option = this.nvram.item(item.startupOption)?.[0] ?? 0;
    if (option & clearConfiguration) for (const id of configuration) this.nvram.deleteItem(id);
    if (option & clearState) this.#clearState();
  }

  /** Returns the stored network, or null. */
  network(): Network | null {
    const base = this.nvram.item(item.nib);
    const key = this.nvram.item(item.activeKey);
    if (!base || base.length < nib.length || !key || key.length < 17) return null;
    const view = Buffer.from(base);
    const panId = view.readUInt16LE(nib.panId);
    const channel = view.readUInt8(nib.channel);
    if (panId === noNetwork || channel === 0) return null;
    const extendedPanId = hexOf(base.slice(nib.extendedPanId, nib.extendedPanId + 8).toReversed());
    return { panId, extendedPanId, key: hexOf(key.slice(1, 17)), channel };
  }

  /** Returns the parameters that the host has set for a new network. */
  wanted(): { panId: number; extendedPanId: string; key: string; channels: number } {
    const { nvram } = this;
    const panId = new ByteReader(nvram.item(item.panId) ?? erased).u16();
    const extended = nvram.item(item.extendedPanId) ?? new Uint8Array(8);
    const isGiven = extended.some((byte) => byte !== 0);
    const key = nvram.item(item.preconfiguredKey) ?? this.#randomBytes(16);
    return {
      panId: panId === noNetwork ? this.#random(noNetwork) : panId,
      extendedPanId: isGiven ? hexOf(extended.toReversed()) : this.ieee.slice(2),
      key: hexOf(key),
      channels: new ByteReader(nvram.item(item.channels) ?? Uint8Array.of(0, 0x08, 0, 0)).u32(),
    };
  }

  /** Stores a new network. */
  form(network: Network): void {
    const base = Buffer.alloc(nib.length);
    base.writeUInt32LE(1 << network.channel, nib.channels);
    base.set(fromHex(network.extendedPanId).toReversed(), nib.extendedPanId);
    base.writeUInt16LE(network.panId, nib.panId);
    base.writeUInt8(network.channel, nib.channel);
    this.nvram.setItem(item.nib, Uint8Array.from(base));
    const descriptor = wire().u8(0).bytes(fromHex(network.key)).done();
    this.nvram.setItem(item.activeKey, descriptor);
    this.nvram.setItem(item.alternateKey, descriptor);
    this.nvram.setItem(item.linkKeySeed, this.#randomBytes(16));
    this.#writeFrameCounter(network.extendedPanId, 0);
  }

  /** Stores a new channel of the network. */
  changeChannel(channel: number): void {
    const base = this.nvram.item(item.nib);
    if (!base) return;
    const view = Buffer.from(base);
    view.writeUInt8(channel, nib.channel);
    view.writeUInt32LE(1 << channel, nib.channels);
    view.writeUInt8((view.readUInt8(nib.updateId) + 1) & 0xff, nib.updateId);
    this.nvram.setItem(item.nib, Uint8Array.from(view));
  }

  /**
   * Stores the address of a device and a link key for it.
   * @returns whether there is room.
   */
  remember(ieee: Ieee, nwk: number, isChild: boolean): boolean {
    const onWire = ieeeBytes(ieee);
    const addresses = this.nvram.table(table.addresses);
    const isFree = (entry: Uint8Array): boolean => entry[0] === 0;
    const known = addresses.findIndex((entry) => !isFree(entry) && hexOf(entry.slice(4)) === hexOf(onWire));
    const place = known === -1 ? addresses.findIndex(isFree) : known;
    if (place === -1) return false;
    const uses = use.security | (isChild ? use.child : 0);
    this.nvram.set(table.addresses, place, wire().u8(uses, 0xff).u16(nwk).bytes(onWire).done());
    if (known !== -1) return true;
    const keyPlace = this.nvram.table(table.linkKeys).findIndex((entry) => entry[16] === 0);
    if (keyPlace === -1) return false;
    const key = wire().u32(0, 0).bytes(onWire).u8(2, 0, this.#random(16), 0);
    this.nvram.set(table.linkKeys, keyPlace, key.done());
    return true;
  }

  forget(ieee: Ieee): void {
    const onWire = hexOf(ieeeBytes(ieee));
    const addresses = this.nvram.table(table.addresses);
    const place = addresses.findIndex((entry) => hexOf(entry.slice(4)) === onWire);
    if (place !== -1) this.nvram.set(table.addresses, place, noAddress);
    const keys = this.nvram.table(table.linkKeys);
    const keyPlace = keys.findIndex((entry) => hexOf(entry.slice(8, 16)) === onWire);
    if (keyPlace !== -1) this.nvram.set(table.linkKeys, keyPlace, new Uint8Array(20));
  }

  /** Counter of frames secured with the network key. Receivers accept only higher ones. */
  get frameCounter(): number {
    const network = this.network();
    const entry = this.#materialOf(network?.extendedPanId ?? "");
    return entry ? new ByteReader(entry).u32() : 0;
  }

  set frameCounter(counter: number) {
    const network = this.network();
    if (network) this.#writeFrameCounter(network.extendedPanId, counter);
  }

  #writeFrameCounter(extendedPanId: string, counter: number): void {
    const entry = wire().u32(counter).bytes(fromHex(extendedPanId).toReversed()).done();
    this.nvram.set(table.securityMaterial, 0, entry);
  }

  #materialOf(extendedPanId: string): Uint8Array | undefined {
    const onWire = hexOf(fromHex(extendedPanId).toReversed());
    return this.nvram.table(table.securityMaterial).find((entry) => hexOf(entry.slice(4)) === onWire);
  }

  #clearState(): void {
    const { nvram } = this;
    for (const id of [item.nib, item.linkKeySeed]) nvram.deleteItem(id);
    const noKey = new Uint8Array(17);
    nvram.setItem(item.activeKey, noKey);
    nvram.setItem(item.alternateKey, noKey);
    for (let entry = 0; entry < this.#tableSize; entry += 1) {
      nvram.set(table.addresses, entry, noAddress);
      nvram.set(table.linkKeys, entry, new Uint8Array(20));
      nvram.set(table.apsKeys, entry, new Uint8Array(24));
    }
    for (let entry = 0; entry < 12; entry += 1) nvram.set(table.securityMaterial, entry, new Uint8Array(12));
    const free = Array.from({ length: this.#tableSize }, () => [0xfe, 0xff, 0, 0, 0, 0]).flat();
    nvram.setItem(item.apsLinkKeyTable, wire().u16(0).bytes(free).done());
  }

  #randomBytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#random(256));
  }
}

const noAddress = wire().u8(0, 0xff).u16(0xfffe).bytes(erased).done();
