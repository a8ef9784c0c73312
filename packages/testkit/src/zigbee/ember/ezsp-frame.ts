import { ByteReader, wire } from "../bytes.ts";

/** A command, a response or a callback of EZSP. */
export interface EzspFrame {
  readonly sequence: number;
  readonly id: number;
  /** False for the frame format of old versions, which only the first version command uses. */
  readonly isExtended: boolean;
  readonly parameters: Uint8Array;
}

/** Bits of the frame control (UG100, 3.2). */
const response = 0x80;
const asynchronousCallback = 0x10;
const formatVersion = 0x01;

/**
 * Parses a command.
 * @throws RangeError for one that is too short
 */
export function parseCommand(bytes: Uint8Array): EzspFrame {
  const reader = new ByteReader(bytes);
  const sequence = reader.u8();
  reader.u8();
  // The second byte of the frame control holds the format; in the old format it is the id of "version".
  const second = reader.u8();
  const isExtended = (second & 3) === formatVersion;
  const id = isExtended ? reader.u16() : second;
  return { sequence, id, isExtended, parameters: reader.rest() };
}

/** @param isCallback whether nobody has asked for it */
export function encodeResponse(frame: EzspFrame, isCallback: boolean): Uint8Array {
  const { sequence, id, isExtended, parameters } = frame;
  const head = wire().u8(sequence, response | (isCallback ? asynchronousCallback : 0));
  if (isExtended) head.u8(formatVersion).u16(id);
  else head.u8(id);
  return head.bytes(parameters).done();
}
