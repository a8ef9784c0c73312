import type { Ieee } from "../air.ts";
import { ByteReader, fromHex, hexOf, ieeeBytes, ieeeOf, wire } from "../bytes.ts";
import type { Network } from "../network.ts";
import type { StickImage } from "../coordinator-stick.ts";
import { nodeType, token } from "./ezsp.ts";

/** A key of the trust centre's table of link keys. */
export interface LinkKey {
  readonly ieee: Ieee;
  readonly key: Uint8Array;
}

/** The security of a network that is about to be formed. */
export interface InitialSecurity {
  readonly networkKey: Uint8Array;
  readonly trustCenterKey: Uint8Array;
  readonly sequence: number;
}

/** Tokens that are arrays; all others have one entry. */
const keyTableSize = 12;
const sizes: Readonly<Record<number, number>> = {
  [token.nonceCounter]: 4,
  [token.keys]: 17,
  [token.nodeData]: 16,
  [token.trustCenter]: 26,
  [token.networkManagement]: 5,
  [token.restoredEui64]: 8,
  [token.keyTable]: 25,
};

/** Erased memory has all bits set. */
const noAddress = "ffffffffffffffff";

/** The non-volatile memory of a stick with EmberZNet: its tokens (AN1154). */
export class EmberMemory {
  readonly #tokens: Map<string, Uint8Array>;
  readonly #factory: Ieee;
  /** The address that counts since the last start. */
  #ieee: Ieee;

  /** @param factory the maker's address, which a token may override */
  constructor(image: StickImage | undefined, factory: Ieee) {
    this.#tokens = new Map(Object.entries(image ?? {}).map(([key, hex]) => [key, fromHex(hex)]));
    this.#factory = factory;
    this.#ieee = factory;
    this.start();
  }

  save(): StickImage {
    return Object.fromEntries([...this.#tokens].map(([key, value]) => [key, hexOf(value)]));
  }

  /** Applies a restored address, which only a start does. */
  start(): void {
    const restored = this.get(token.restoredEui64);
    this.#ieee = restored && hexOf(restored) !== noAddress ? ieeeOf(restored) : this.#factory;
  }

  get ieee(): Ieee {
    return this.#ieee;
  }

  /** The known tokens: key, size of an entry, number of entries. */
  readonly index: readonly (readonly [key: number, size: number, entries: number])[] = Object.entries(
    sizes,
  ).map(([key, size]) => [Number(key), size, Number(key) === token.keyTable ? keyTableSize : 1]);

  get(key: number, entry: number = 0): Uint8Array | undefined {
    return this.#tokens.get(`${key.toString(16)}/${entry}`);
  }

  /** Returns an entry of a known token, erased if nobody has written it; undefined for an unknown one. */
  read(key: number, entry: number): Uint8Array | undefined {
    const known = this.index.find(([other]) => other === key);
    if (!known || entry >= known[2]) return undefined;
    return this.get(key, entry) ?? new Uint8Array(known[1]).fill(0xff);
  }

  set(key: number, value: Uint8Array, entry: number = 0): void {
    this.#tokens.set(`${key.toString(16)}/${entry}`, value);
  }

  #delete(key: number, entry: number = 0): void {
    this.#tokens.delete(`${key.toString(16)}/${entry}`);
  }

  /** Returns the stored network, or null. */
  network(): Network | null {
    const [node, keys] = [this.get(token.nodeData), this.get(token.keys)];
    if (!node || !keys) return null;
    const reader = new ByteReader(node);
    const panId = reader.u16();
    reader.i8();
    const channel = reader.u8();
    // Skip stack profile, node type and address.
    reader.u32();
    return {
      panId,
      channel,
      extendedPanId: hexOf(reader.rest().toReversed()),
      key: hexOf(keys.slice(0, 16)),
    };
  }

  /** In dBm. */
  get txPower(): number {
    return new ByteReader(this.get(token.nodeData)?.slice(2) ?? Uint8Array.of(0)).i8();
  }

  /** The number of the network's current parameters, and the channels that it may use. */
  get management(): { readonly updateId: number; readonly channels: number } {
    const reader = new ByteReader(this.get(token.networkManagement) ?? new Uint8Array(5));
    return { updateId: reader.u8(), channels: reader.u32() };
  }

  get keySequence(): number {
    return this.get(token.keys)?.[16] ?? 0;
  }

  get trustCenterKey(): Uint8Array | undefined {
    return this.get(token.trustCenter)?.slice(10);
  }

  form(
    network: Network,
    txPower: number,
    management: { readonly updateId: number; readonly channels: number },
    security: InitialSecurity,
  ): void {
    this.#writeNode(network, txPower);
    this.set(token.keys, wire().bytes(security.networkKey).u8(security.sequence).done());
    this.#writeManagement(management);
    this.set(token.trustCenter, wire().u16(0).ieee(this.ieee).bytes(security.trustCenterKey).done());
  }

  changeChannel(channel: number): void {
    const network = this.network();
    if (!network) return;
    const { updateId, channels } = this.management;
    this.#writeNode({ ...network, channel }, this.txPower);
    this.#writeManagement({ updateId: (updateId + 1) & 0xff, channels });
  }

  leave(): void {
    for (const key of [token.nodeData, token.keys, token.networkManagement, token.trustCenter])
      this.#delete(key);
  }

  /** Counter of frames secured with the network key. Receivers accept only higher ones. */
  get frameCounter(): number {
    return new ByteReader(this.get(token.nonceCounter) ?? new Uint8Array(4)).u32();
  }

  set frameCounter(counter: number) {
    this.set(token.nonceCounter, wire().u32(counter).done());
  }

  linkKey(entry: number): LinkKey | undefined {
    const stored = this.get(token.keyTable, entry);
    return stored && { ieee: ieeeOf(stored.slice(0, 8)), key: stored.slice(8, 24) };
  }

  /** @returns whether the table has that entry */
  setLinkKey(entry: number, link: LinkKey | null): boolean {
    if (entry >= keyTableSize) return false;
    if (link) this.set(token.keyTable, Uint8Array.from([...ieeeBytes(link.ieee), ...link.key, 0]), entry);
    else this.#delete(token.keyTable, entry);
    return true;
  }

  clearLinkKeys(): void {
    for (let entry = 0; entry < keyTableSize; entry += 1) this.#delete(token.keyTable, entry);
  }

  get linkKeyRoom(): number {
    return keyTableSize;
  }

  #writeNode({ panId, channel, extendedPanId }: Network, txPower: number): void {
    const head = wire().u16(panId).u8(txPower, channel, 2, nodeType.coordinator).u16(0);
    this.set(token.nodeData, head.bytes(fromHex(extendedPanId).toReversed()).done());
  }

  #writeManagement({ updateId, channels }: { readonly updateId: number; readonly channels: number }): void {
    this.set(token.networkManagement, wire().u8(updateId).u32(channels).done());
  }
}
