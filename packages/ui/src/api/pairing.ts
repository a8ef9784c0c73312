// Rows by which devices come into the home.
import type { Device } from "../store/wire.ts";
import { type Answer, call } from "./call.ts";
import { protocol } from "./protocol.ts";

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
export function scan(ts: number): Promise<Answer<ScanDelta>> {
  return call("/hub/scan", { query: { ts } });
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

/** CAMERA_HOST_AT_IP_STATUS: what a camera has answered, in the reader's language. */
export interface CameraAnswer {
  /** 0: it was found. 1: it is a device of the home already. */
  readonly code: number;
  readonly message: string;
  readonly host: { readonly name?: string | null } | null;
}

/** How long the hub tries the usual ports of cameras. */
const askedForMs = 60_000;

/** Looks for a camera at an address, and takes it if its login opens it. */
export function pairCamera(ip: string, username: string, password: string): Promise<Answer<CameraAnswer>> {
  const body = { type: "CAMERA_AT_IP", ip, ...(username !== "" && { username, password }) };
  return call("/hub/pairIp", { method: "POST", body, timeoutMs: askedForMs });
}

/** Looks for lighting bridges, and begins to ask them for their keys. 503: none answers. */
export function pairBridge(): Promise<Answer<true>> {
  return call("/hub/pairbridge", { method: "POST", timeoutMs: askedForMs });
}

/** A status of Z-Wave pairing (hub-api 2.10). */
type ZwaveStatus =
  | "NOT_PAIRING"
  | "IDLE"
  | "RUNNING"
  | "TIMEOUT"
  | "SUCCESS"
  | "CANCEL"
  | "NO_ZWAVE"
  | "ERROR";

/** ZWAVE_INCLUSION_STATUS or ZWAVE_EXCLUSION_STATUS. */
export interface ZwaveState {
  readonly status: ZwaveStatus;
  /** A device waits for the five digits of its label. */
  readonly pinRequired?: boolean;
  /** The device's key without these digits. */
  readonly dsk?: string;
  /** The stick is not open yet. */
  readonly waitsFor?: "NETWORK";
}

/** How Z-Wave devices join. */
export function inclusion(signal: AbortSignal): Promise<Answer<ZwaveState>> {
  return protocol("GET_ZWAVE_INCLUSION_STATUS", {}, signal);
}

/** Lets Z-Wave devices join again while a search runs. */
export function startInclusion(): Promise<Answer<ZwaveState>> {
  return protocol("ZWAVE_START_INCLUSION");
}

export function enterPin(pin: string): Promise<Answer<true>> {
  return protocol("ZWAVE_S2_PIN", { pin });
}

/** Takes the next Z-Wave device whose button is pressed out of its network, whichever that is. */
export function startExclusion(): Promise<Answer<ZwaveState>> {
  return protocol("ZWAVE_START_EXCLUSION");
}

export function exclusion(signal: AbortSignal): Promise<Answer<ZwaveState>> {
  return protocol("GET_ZWAVE_EXCLUSION_STATUS", {}, signal);
}

export function cancelExclusion(): Promise<Answer<ZwaveState>> {
  return protocol("ZWAVE_CANCEL_EXCLUSION");
}

/** CREDENTIALS_RESULT: whether a camera takes a login. */
export interface CredentialsAnswer {
  readonly credentialStatus: "OK" | "INSUFFICIENT" | "DEFAULT" | "ERROR";
}

/** Sets the login with which the hub asks a camera. */
export function credentialsFor(
  id: string,
  username: string,
  password: string,
): Promise<Answer<CredentialsAnswer>> {
  const body = [{ type: "CMD_USE_CREDENTIALS", id, username, password }];
  return call("/devices/command", { method: "PUT", body, timeoutMs: askedForMs });
}
