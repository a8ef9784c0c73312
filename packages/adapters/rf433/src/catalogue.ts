import { type Coded, codedFrom } from "./device.ts";
import { type Kind, kinds } from "./kinds.ts";
import { writeRflink } from "./rflink.ts";

/** A row of `GET /hub/433devices` (hub-api 2.10). */
interface PairInfo {
  readonly type: "433_PAIR_INFO";
  readonly id: string;
  readonly name: string;
  readonly manufacturer: string;
}

/** A receiver that takes the first code that it hears while it learns: the hub makes one up. */
interface Taught {
  readonly by: "sending";
  readonly kind: Kind;
  readonly protocol: string;
  readonly addressBits: number;
  readonly digits: number;
  readonly unit: string;
  /** The line with which the gateway teaches. */
  readonly lesson: (address: string, unit: string) => string;
}

/** A code that the hub hears next, from its own remote or transmitter. */
interface Listened {
  readonly by: "listening";
  readonly kind: Kind;
}

export type Way = Taught | Listened;

const onOf =
  (protocol: string) =>
  (address: string, unit: string): string =>
    writeRflink({ protocol, address, unit, order: "on" });

/** AC, the code of KlikAanKlikUit, COCO, Nexa, Intertechno, Chacon DI.O and others: 26 bits and a unit. */
const newKaku = {
  by: "sending",
  protocol: "NewKaku",
  addressBits: 26,
  digits: 8,
  unit: "1",
  lesson: onOf("NewKaku"),
} as const;

const anyMaker = "Any maker";

interface Row {
  readonly name: string;
  readonly manufacturer: string;
  readonly way: Way;
}

const taught = (name: string, manufacturer: string, way: Taught): Row => ({ name, manufacturer, way });
const listened = (name: string, kind: Kind): Row => ({
  name,
  manufacturer: anyMaker,
  way: { by: "listening", kind },
});

const brands = "KlikAanKlikUit, COCO, Nexa, Intertechno, Chacon";

const rows: Readonly<Record<string, Row>> = {
  "newkaku.socket": taught("Socket that learns", brands, { ...newKaku, kind: "socket" }),
  "newkaku.lamp": taught("Lamp switch that learns", brands, { ...newKaku, kind: "lamp" }),
  "newkaku.dimmer": taught("Dimmer that learns", brands, { ...newKaku, kind: "dimmer" }),
  "rts.cover": taught("Blind or awning, RTS", "Somfy", {
    by: "sending",
    kind: "cover",
    protocol: "RTS",
    addressBits: 24,
    digits: 6,
    unit: "0",
    // The gateway keeps the rolling code; it begins with any.
    lesson: (address) => `10;RTS;${address};0001;PAIR;`,
  }),
  "heard.socket": listened("Socket, by its remote", "socket"),
  "heard.lamp": listened("Lamp, by its remote", "lamp"),
  "heard.dimmer": listened("Dimmer, by its remote", "dimmer"),
  "heard.cover": listened("Blind, by its remote", "cover"),
  "heard.remote": listened("Remote, each of its keys", "remote"),
  "heard.contact": listened("Door or window contact", "contact"),
  "heard.motion": listened("Motion detector", "motion"),
  "heard.doorbell": listened("Doorbell", "doorbell"),
  "heard.smoke": listened("Smoke alarm", "smoke"),
  "heard.leak": listened("Water detector", "leak"),
};

/** Returns what can be paired. @param canSend whether there is a gateway, without which nothing obeys the hub */
export function catalogue(canSend: boolean): readonly PairInfo[] {
  return Object.entries(rows).flatMap(([id, { name, manufacturer, way }]) =>
    canSend || (way.by === "listening" && !kinds[way.kind].isAssumed)
      ? [{ type: "433_PAIR_INFO" as const, id, name, manufacturer }]
      : [],
  );
}

/** Returns how a row of the catalogue is paired; undefined for an unknown one. */
export function wayOf(id: string): Way | undefined {
  return Object.hasOwn(rows, id) ? rows[id]?.way : undefined;
}

/**
 * Makes up a code for a receiver that learns.
 * @param random 0..1
 */
export function newCode({ kind, protocol, addressBits, digits, unit }: Taught, random: () => number): Coded {
  // 0 is what an unlearned receiver may have.
  const number = 1 + Math.floor(random() * (2 ** addressBits - 2));
  const address = number.toString(16).padStart(digits, "0");
  return codedFrom({ protocol, address, unit, values: {} }, kind);
}
