import type { Capability, DeviceClass } from "@ledge/model";
import { capabilitiesOf } from "./readings.ts";
import type { Order, Signal, Values } from "./signal.ts";

/** What a code belongs to: a receiver that obeys it, or a transmitter that reports by it. */
export type Kind =
  | "sensor"
  | "socket"
  | "lamp"
  | "dimmer"
  | "cover"
  | "remote"
  | "contact"
  | "motion"
  | "doorbell"
  | "smoke"
  | "leak";

/** How a kind is shown and what it makes of orders. */
export interface KindRow {
  /** Absent: that of what it measures. */
  readonly class?: DeviceClass;
  readonly capabilities: readonly Capability[];
  /** It obeys codes and says nothing: what is known of it is assumed. */
  readonly isAssumed?: true;
  /** Attributes by an order that was heard or sent; undefined where the order means nothing to it. */
  readonly shows: (order: Order) => Values | undefined;
  /** When its attribute becomes false by itself, ms after it was true, by the attribute. */
  readonly rests?: Readonly<Record<string, number>>;
  /** For a name, when nobody has given one. */
  readonly title: string;
}

const isOn = (order: Order): Values | undefined => {
  if (order === "on" || order === "off") return { isOn: order === "on" };
  return undefined;
};
const asFlag =
  (name: string) =>
  (order: Order): Values | undefined =>
    order === "on" || order === "off" ? { [name]: order === "on" } : undefined;
const dimmed = (order: Order): Values | undefined => {
  if (typeof order !== "object") return isOn(order);
  return order.level === 0 ? { isOn: false } : { isOn: true, brightness: order.level };
};
/** A remote for covers says on and off with some protocols. A stopped cover is anywhere. */
const moved = (order: Order): Values | undefined => {
  if (order === "up" || order === "on") return { position: 1, liftPct: 100 };
  return order === "down" || order === "off" ? { position: 0, liftPct: 0 } : undefined;
};
const nothing = (): undefined => undefined;
/** Many detectors say that something has begun, and nothing when it ends. */
const detected = { motion: 60_000, alert: 120_000 } as const;

export const kinds: Readonly<Record<Kind, KindRow>> = {
  sensor: { capabilities: [], shows: nothing, rests: detected, title: "Sensor" },
  socket: {
    class: "POWER_SOCKET",
    capabilities: ["ON_OFF", "CONTROL_POWER"],
    isAssumed: true,
    shows: isOn,
    title: "Socket",
  },
  lamp: {
    class: "LIGHT",
    capabilities: ["ON_OFF", "CONTROL_LIGHT"],
    isAssumed: true,
    shows: isOn,
    title: "Lamp",
  },
  dimmer: {
    class: "LIGHT",
    capabilities: ["ON_OFF", "CONTROL_LIGHT", "BRIGHTNESS"],
    isAssumed: true,
    shows: dimmed,
    title: "Dimmer",
  },
  cover: {
    class: "BLINDS",
    capabilities: ["BLINDS", "LIFT", "COVER_STOP"],
    isAssumed: true,
    shows: moved,
    title: "Cover",
  },
  remote: { class: "REMOTE_CONTROL", capabilities: ["REMOTE_CONTROL"], shows: nothing, title: "Remote" },
  contact: { class: "CONTACT", capabilities: ["CONTACT"], shows: asFlag("open"), title: "Contact" },
  motion: {
    class: "MOTION",
    capabilities: ["MOTION"],
    shows: asFlag("motion"),
    rests: detected,
    title: "Motion detector",
  },
  doorbell: {
    class: "DOORBELL",
    capabilities: ["DOORBELL"],
    shows: (order) => (order === "on" || order === "ring" ? { alert: true } : undefined),
    rests: { alert: 3000 },
    title: "Doorbell",
  },
  smoke: {
    class: "SMOKE_ALARM",
    capabilities: ["SMOKE"],
    shows: asFlag("alert"),
    rests: detected,
    title: "Smoke alarm",
  },
  leak: { class: "MOISTURE", capabilities: ["MOISTURE"], shows: asFlag("moisture"), title: "Water detector" },
};

/**
 * Protocols of remotes that the gateway can send as well, so that it commands their receivers. RTS is none: its codes roll, and
 * the gateway does not know where a remote's has got to.
 */
const commanded: Readonly<Record<string, Kind>> = {
  NewKaku: "socket",
  Kaku: "socket",
  AB400D: "socket",
  Impuls: "socket",
  Eurodomest: "socket",
  Blyss: "socket",
  "Conrad RSL2": "socket",
  Conrad: "socket",
  Kambrook: "socket",
  X10: "socket",
  HomeConfort: "socket",
  FA500: "socket",
  Powerfix: "socket",
  "Ikea Koppla": "socket",
  HomeEasy: "socket",
  UNITEC: "socket",
};

/**
 * Returns the kind that a signal is most likely of; undefined for one that says nothing.
 * @param canSend whether the place where it was heard also sends
 */
export function likelyKind({ protocol, order, word, values }: Signal, canSend: boolean): Kind | undefined {
  if (values["motion"] !== undefined && Object.keys(values).length === 1) return "motion";
  if (values["alert"] !== undefined && Object.keys(values).length === 1) return "smoke";
  const says =
    capabilitiesOf(values).length > 0 || Object.keys(values).some((name) => name.startsWith("extras."));
  if (says) return "sensor";
  if (order === "ring") return "doorbell";
  if (order === undefined && word === undefined) return undefined;
  const kind = Object.hasOwn(commanded, protocol) ? commanded[protocol] : undefined;
  return canSend && kind !== undefined ? kind : "remote";
}
