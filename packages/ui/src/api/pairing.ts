// Rows by which devices come into the home.
import type { Device } from "../store/wire.ts";
import { type Answer, call } from "./call.ts";

/** DEVICE_SCAN (hub-api 2.4): a device that a search has found. Its id is the one that it has, or will have. */
export interface Find {
  readonly id: string;
  /** It is not kept when the search ends. */
  readonly ignored: boolean;
  /** What helps with its pairing, in the reader's language. */
  readonly info: string | null;
  readonly actionRequired: boolean;
  readonly pairingStatus: "CONNECTING" | "CONNECTED" | "COMPLETE";
  /** What it is; null while the hub does not know. */
  readonly status: Device | null;
}

/** SCAN_DELTA: what a search has found since a timestamp, or all when it is full. */
export interface ScanDelta {
  readonly timestamp: number;
  readonly full: boolean;
  readonly devices: readonly Find[];
}

/** Searches for devices. The hub stops, and keeps what is chosen, when nobody has asked for 10 s. */
export function scan(ts: number, signal: AbortSignal): Promise<Answer<ScanDelta>> {
  return call("/hub/scan", { query: { ts }, signal });
}

/** Says whether a find is kept when the search ends. */
export function chooseFind(id: string, isKept: boolean): Promise<Answer<true>> {
  return call("/hub/scan", { method: "PUT", body: { type: "SET_SCAN_RESULT", id, ignored: !isKept } });
}

/** Ends the search: what is chosen and ready becomes a device, the rest is let go. */
export function stopScan(): Promise<Answer<true>> {
  return call("/hub/stopscan");
}

/** 433_PAIR_INFO: a kind of device that no search finds. */
export interface Kind433 {
  readonly id: string;
  readonly name: string;
  readonly manufacturer: string;
}

/** The kinds of 433 MHz devices that this hub pairs; none without such a radio. */
export function kinds433(signal: AbortSignal): Promise<Answer<readonly Kind433[]>> {
  return call("/hub/433devices", { signal });
}

/** Pairs a 433 MHz device, which a running search shows. */
export function pair433(kind: string): Promise<Answer<true>> {
  return call("/hub/pair433", { method: "POST", query: { device433: kind } });
}
