// Wireless telegrams, EN 13757-4: link layer, extended link layer and the layers above it.
import { createDecipheriv } from "node:crypto";
import { MbusError } from "../error.ts";
import { fromHex, hexByte } from "../hex.ts";
import { type Identity, idOf } from "../header.ts";
import { manufacturerBits, manufacturerCode } from "../manufacturer.ts";
import { decodeApplication, type DecodeOptions, type Telegram } from "../telegram.ts";
import { type FrameFormat, withoutCrcs } from "./blocks.ts";
import { crcOf } from "./crc.ts";

/** What a meter sent by radio. */
export interface WirelessTelegram {
  /** C field, as 44h for SND-NR. */
  readonly control: number;
  /** The sender: the meter, or the radio adapter of a meter that the telegram names itself. */
  readonly sender: Identity;
  /** What was sent; absent if the extended link layer is encrypted and there is no key. */
  readonly telegram?: Telegram;
  /** How the extended link layer is encrypted; absent if it is not. */
  readonly linkEncryption?: { readonly name: string; readonly isDecrypted: boolean };
}

export interface WirelessOptions extends DecodeOptions {
  /** Found out from length and CRCs if absent. */
  readonly format?: FrameFormat;
}

/** Bytes of an extended link layer behind its CI field; those with a session have number and CRC at the end. */
const extendedLengths: Readonly<Record<number, { readonly length: number; readonly hasSession: boolean }>> = {
  0x8c: { length: 2, hasSession: false },
  0x8d: { length: 8, hasSession: true },
  0x8e: { length: 10, hasSession: false },
  0x8f: { length: 16, hasSession: true },
};
const fragmentation = 0x90;
const moreFragments = 0x40;

/**
 * Decodes a frame from its L field on, as modes T and C have it behind the synchronisation.
 * @throws MbusError, as `decode`
 */
export function decodeWireless(bytes: Uint8Array, options: WirelessOptions = {}): WirelessTelegram {
  const frame = withoutCrcs(bytes, options.format);
  const sender = senderOf(frame);
  const told = { control: frame[1] as number, sender };
  const extended = readExtended(frame, sender, options);
  const { linkEncryption } = extended;
  if (extended.data === undefined) return { ...told, ...(linkEncryption && { linkEncryption }) };
  const data = withoutFragmentation(extended.data);
  const telegram = decodeApplication(informationOf(data), data.subarray(1), sender, options);
  return { ...told, telegram, ...(linkEncryption && { linkEncryption }) };
}

function senderOf(frame: Uint8Array): Identity {
  return {
    id: idOf(frame.subarray(4, 8)),
    manufacturer: manufacturerCode((frame[2] as number) | ((frame[3] as number) << 8)),
    version: frame[8] as number,
    medium: frame[9] as number,
  };
}

function informationOf(data: Uint8Array): number {
  const information = data[0];
  if (information === undefined) throw new MbusError("truncated", "the telegram ends before the CI field");
  if (information >= 0xa0 && information <= 0xb7)
    throw new MbusError(
      "unsupported",
      `the data is the manufacturer's own (CI field ${hexByte(information)})`,
    );
  if (information === 0x79 || information === 0x7b)
    throw new MbusError("unsupported", "this is a compact frame: its format is in another frame");
  return information;
}

/** Returns what is behind an extended link layer, from the CI field on; undefined if it is encrypted. */
function readExtended(
  frame: Uint8Array,
  sender: Identity,
  { keyOf }: DecodeOptions,
): { readonly data: Uint8Array | undefined; readonly linkEncryption?: WirelessTelegram["linkEncryption"] } {
  const layer = extendedLengths[frame[10] as number];
  if (layer === undefined) return { data: frame.subarray(10) };
  const end = 11 + layer.length;
  if (frame.length <= end) throw new MbusError("truncated", "the frame ends within the extended link layer");
  if (!layer.hasSession) return { data: frame.subarray(end) };
  const session = frame.subarray(end - 6, end - 2);
  const isEncrypted = (session[3] as number) >> 5 !== 0;
  if (!isEncrypted) return { data: frame.subarray(end) };
  const name = "AES-128 in CTR mode";
  const key = keyOf?.(sender);
  if (key === undefined) return { data: undefined, linkEncryption: { name, isDecrypted: false } };
  const data = decryptLink(frame.subarray(end - 2), key, sender, frame[11] as number, session);
  return { data, linkEncryption: { name, isDecrypted: true } };
}

/** Decrypts CRC and data behind a session number, and returns the data. */
function decryptLink(
  bytes: Uint8Array,
  key: Uint8Array,
  { id, manufacturer, version, medium }: Identity,
  communication: number,
  session: Uint8Array,
): Uint8Array {
  if (key.length !== 16) throw new MbusError("key", `a key has 16 bytes, not ${key.length}`);
  const maker = manufacturerBits(manufacturer);
  const address = [maker & 0xff, maker >> 8, ...fromHex(id).toReversed(), version, medium];
  const counter = Uint8Array.from([...address, communication, ...session, 0, 0, 0]);
  const plain = Uint8Array.from(createDecipheriv("aes-128-ctr", key, counter).update(bytes));
  const data = plain.slice(2);
  if (crcOf(data) !== ((plain[0] as number) | ((plain[1] as number) << 8)))
    throw new MbusError("key", `the key does not decrypt the frame of meter ${manufacturer} ${id}`);
  return data;
}

/** Goes past an authentication and fragmentation layer. */
function withoutFragmentation(data: Uint8Array): Uint8Array {
  if (data[0] !== fragmentation) return data;
  const length = data[1] ?? 0;
  if (data.length < 2 + length || length < 2)
    throw new MbusError("truncated", "the frame ends within the fragmentation layer");
  if (((data[3] as number) & moreFragments) !== 0)
    throw new MbusError("unsupported", "the telegram is in several fragments");
  return data.subarray(2 + length);
}
