import type { Table } from "./point.ts";

/**
 * A request on a line. `register` is the address in the frame, 0..65535, not the numbering from 1 or 40001.
 */
export type TableRequest = ReadRequest | WriteRequest;
export type Request = TableRequest | IdentifyRequest;

export interface ReadRequest {
  readonly kind: "read";
  readonly table: Table;
  readonly register: number;
  readonly count: number;
}

/** `multiple`: use the function for several registers, which some devices require even for one. */
export interface WriteRequest {
  readonly kind: "write";
  readonly table: "coil" | "holding";
  readonly register: number;
  readonly values: readonly number[];
  readonly multiple: boolean;
}

/**
 * Read device identification (application protocol v1.1b3, 6.21). `level`: 1 basic, 2 regular. `object`: the first
 * object that is wanted.
 */
export interface IdentifyRequest {
  readonly kind: "identify";
  readonly level: 1 | 2;
  readonly object: number;
}

/** The function that carries the identification, and the number of its interface. */
export const identifyFunction = 0x2b;
export const identifyInterface = 0x0e;

const readFunctions: Readonly<Record<Table, number>> = { coil: 1, discrete: 2, holding: 3, input: 4 };

/** Returns the public function code of a request (application protocol v1.1b3, 6.1 to 6.12). */
export function functionCode(request: Request): number {
  if (request.kind === "identify") return identifyFunction;
  if (request.kind === "read") return readFunctions[request.table];
  if (request.table === "coil") return request.multiple ? 15 : 5;
  return request.multiple ? 16 : 6;
}

/** The length of the longest frame on a serial line. */
export const longestFrame = 256;

/**
 * Returns the length of an answer's frame on a serial line, from the address to the CRC. An identification may be as
 * long as any frame.
 */
export function answerBytes(request: Request): number {
  if (request.kind === "identify") return longestFrame;
  if (request.kind === "write") return 8;
  const bits = request.table === "coil" || request.table === "discrete";
  return 5 + (bits ? Math.ceil(request.count / 8) : request.count * 2);
}

/** Returns the length of a request's frame on a serial line. */
export function requestBytes(request: Request): number {
  if (request.kind === "identify") return 7;
  if (request.kind === "read" || !request.multiple) return 8;
  return 9 + (request.table === "coil" ? Math.ceil(request.values.length / 8) : request.values.length * 2);
}
