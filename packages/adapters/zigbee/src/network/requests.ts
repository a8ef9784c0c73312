import type { AdapterClock, AdapterRequest, AnswerRequest, RequestTable } from "@ledge/port";
import { AdapterError, commandsOf, settledWithin } from "@ledge/port";
import { insideOf } from "../library-inside.ts";
import { scanEnergy } from "./energy-scan.ts";
import type { Kept } from "./kept-network.ts";
import type { OpenStick } from "./stick.ts";
import type { NetworkMap } from "./topology.ts";
import { readMap } from "./topology.ts";
import type { Traffic } from "./traffic.ts";

/** How long a request waits for a map before it gets what is known so far. */
const mapWaitMs = 8000;
/** A map younger than this is not read again. */
const mapFreshMs = 60_000;

/** What the requests need from the network. */
export interface RequestParts {
  readonly kept: () => Kept;
  readonly clock: () => AdapterClock;
  readonly traffic: Traffic;
  readonly isRunning: () => boolean;
  readonly stick: () => OpenStick | undefined;
  /** IEEE addresses. */
  readonly missing: () => ReadonlySet<string>;
  /** JSON; "" before the first stick. */
  readonly firmware: () => string;
  /** Why there is no network. */
  readonly problem: () => string | null;
  /** Whether a stick has carried the network. */
  readonly isKnown: () => boolean;
  /** Stores the channel with which the network opens from now on. */
  readonly setChannel: (channel: number) => Promise<void>;
  /**
   * Called when settings were stored.
   * @param reopens whether some only apply when the stick is opened
   */
  readonly changed: (reopens: boolean) => void;
}

/** Handlers for the API's Zigbee network rows (hub-api 4.1). */
export function networkRequests(parts: RequestParts): RequestTable {
  const maps = new Maps(parts);
  return {
    GET_ZIGBEE_STATUS: async () => statusOf(parts),
    SET_ZIGBEE: (request) => set(parts, request),
    SCAN_ZIGBEE: async () => {
      const { adapter } = insideOf(openIn(parts).controller);
      if (adapter === undefined) throw new AdapterError("unreachable", "the stick is being opened");
      return await parts.traffic.withRadioAway((sendZdo) => scanEnergy(adapter, sendZdo, parts.clock()));
    },
    GET_ZIGBEE_MAP: () => maps.answer(),
  };
}

/** The words that confirm the loss of a network, so that no client forms a new one by accident. */
export const confirmation = "pair all devices anew";

/** Returns the handler of FORM_ZIGBEE_NETWORK {confirm}. */
export function formCommand(form: () => Promise<void>): AnswerRequest {
  return async (request) => {
    for (const { confirm } of commandsOf(request))
      if (confirm !== confirmation) throw new AdapterError("settings", `confirm: must be "${confirmation}"`);
    await form();
    return true;
  };
}

function statusOf({ kept, traffic, isRunning, stick, firmware, problem, isKnown }: RequestParts): object {
  assertRunning(isRunning);
  const { network, radio } = kept();
  const { power, ignore_reachability } = radio;
  return {
    connected: stick() !== undefined,
    has_network: isKnown(),
    channel: stick()?.channel ?? network?.carriedOn ?? network?.channel ?? 0,
    power,
    firmware: firmware(),
    stats: traffic.counts,
    ignore_reachability,
    problem: problem(),
  };
}

/** Stores new settings at once; the stick follows when it can. */
async function set(
  { kept, isRunning, setChannel, changed }: RequestParts,
  request: AdapterRequest,
): Promise<true> {
  assertRunning(isRunning);
  const { channel, power, ignore_reachability: ignored } = request;
  assertWithin("channel", channel, 11, 26);
  assertWithin("power", power, 3, 8);
  if (ignored !== undefined && typeof ignored !== "boolean")
    throw new AdapterError("settings", "ignore_reachability: must be true or false");
  const { network, radio } = kept();
  const isMoved = channel !== undefined && channel !== network?.channel;
  const isLouder = power !== undefined && power !== radio.power;
  const ignore_reachability = ignored ?? radio.ignore_reachability;
  if (isMoved) await setChannel(channel as number);
  await kept().setRadio({ power: isLouder ? (power as number) : radio.power, ignore_reachability });
  changed(isMoved || isLouder);
  return true;
}

function assertWithin(field: string, value: unknown, least: number, most: number): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
    throw new AdapterError("settings", `${field}: must be ${least} to ${most}`);
}

function assertRunning(isRunning: () => boolean): void {
  if (!isRunning()) throw new AdapterError("stopped", "the adapter is not running");
}

/** @throws AdapterError */
function openIn({ isRunning, stick, problem }: RequestParts): OpenStick {
  assertRunning(isRunning);
  const open = stick();
  if (open === undefined) {
    const reason = problem();
    throw new AdapterError(
      "unreachable",
      `the Zigbee network is not up${reason === null ? "" : `: ${reason}`}`,
    );
  }
  return open;
}

/** The map of the network: read on request, by one reader at a time, and kept for a while. */
class Maps {
  readonly #parts: RequestParts;
  #map: NetworkMap | undefined;
  /** The stick whose map is being read. */
  #reading: { readonly stick: OpenStick; readonly done: Promise<unknown> } | undefined;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  async answer(): Promise<NetworkMap> {
    const stick = openIn(this.#parts);
    const clock = this.#parts.clock();
    const age = this.#map === undefined ? Infinity : Math.abs(clock.now() - this.#map.at);
    if (this.#reading?.stick !== stick && (age > mapFreshMs || this.#map?.complete !== true))
      this.#read(stick);
    if (this.#reading !== undefined) await settledWithin(mapWaitMs, clock, this.#reading.done);
    if (this.#map === undefined) throw new AdapterError("timeout", "the map is still being read: ask again");
    return this.#map;
  }

  #read(stick: OpenStick): void {
    const { clock, missing } = this.#parts;
    const done = readMap(stick.controller, missing(), clock(), (map) => (this.#map = map));
    this.#reading = { stick, done };
    const end = (): void => {
      if (this.#reading?.done === done) this.#reading = undefined;
    };
    done.then(end, end);
  }
}
