import type { ConfigurationItem } from "@ledge/model";
import { plainItem } from "@ledge/port";

/** The days of a weekly schedule, with their bits in a frame (ZCL 6.3.2.3.2.4.2) and their names. */
export const days = {
  monday: { bit: 0x02, label: { en: "Monday", fi: "Maanantai", sv: "Måndag", de: "Montag" } },
  tuesday: { bit: 0x04, label: { en: "Tuesday", fi: "Tiistai", sv: "Tisdag", de: "Dienstag" } },
  wednesday: { bit: 0x08, label: { en: "Wednesday", fi: "Keskiviikko", sv: "Onsdag", de: "Mittwoch" } },
  thursday: { bit: 0x10, label: { en: "Thursday", fi: "Torstai", sv: "Torsdag", de: "Donnerstag" } },
  friday: { bit: 0x20, label: { en: "Friday", fi: "Perjantai", sv: "Fredag", de: "Freitag" } },
  saturday: { bit: 0x40, label: { en: "Saturday", fi: "Lauantai", sv: "Lördag", de: "Samstag" } },
  sunday: { bit: 0x01, label: { en: "Sunday", fi: "Sunnuntai", sv: "Söndag", de: "Sonntag" } },
  away_or_vacation: { bit: 0x80, label: { en: "Away", fi: "Poissa", sv: "Borta", de: "Abwesend" } },
} as const satisfies Record<string, { readonly bit: number; readonly label: ConfigurationItem["label"] }>;

export type Day = keyof typeof days;
export const dayNames = Object.keys(days) as readonly Day[];

const help = {
  en: "Times with setpoints in °C, such as 06:00/20.5 22:00/17; at most 10",
  fi: "Ajat ja asetusarvot (°C), kuten 06:00/20.5 22:00/17; enintään 10",
  sv: "Tider med börvärden i °C, till exempel 06:00/20.5 22:00/17; högst 10",
  de: "Zeiten mit Sollwerten in °C, etwa 06:00/20.5 22:00/17; höchstens 10",
} as const;

/** The most transitions that one frame of a weekly schedule holds (ZCL 6.3.2.3.2.4.1). */
export const mostTransitions = 10;

/** A time of a day from which a setpoint holds. */
export interface Transition {
  /** Minutes since midnight. */
  readonly minute: number;
  readonly celsius: number;
}

/** Returns the setting of a day: a text such as `06:00/20.5 22:00/17`. */
export function dayItem(name: string, day: Day): ConfigurationItem {
  return { ...plainItem, name, fieldType: "TEXT", label: days[day].label, help };
}

/** Returns transitions as text; undefined for a transition that no schedule can have. */
export function textOf(transitions: readonly Transition[]): string | undefined {
  if (transitions.length > mostTransitions || !transitions.every(isPossible)) return undefined;
  return transitions.map(({ minute, celsius }) => `${clockOf(minute)}/${celsius}`).join(" ");
}

/** Returns minutes since midnight as `06:30`. */
export function clockOf(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

function isPossible({ minute, celsius }: Transition): boolean {
  if (!Number.isInteger(minute) || minute < 0 || minute >= 1440) return false;
  return typeof celsius === "number" && celsius >= -50 && celsius <= 150;
}

/** Parses `06:00/20.5 22:00/17`; undefined for anything else, and for a setpoint that no schedule can have. */
export function transitionsOf(text: string): readonly Transition[] | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length > mostTransitions) return undefined;
  const transitions = parts.map((part): Transition | undefined => {
    const [, hour, minute, celsius] =
      /^([01]?\d|2[0-3]):([0-5]\d)\/(-?\d{1,3}(?:\.\d{1,2})?)$/.exec(part) ?? [];
    if (hour === undefined || minute === undefined || celsius === undefined) return undefined;
    const transition = { minute: Number(hour) * 60 + Number(minute), celsius: Number(celsius) };
    return isPossible(transition) ? transition : undefined;
  });
  return transitions.every((each) => each !== undefined) ? transitions : undefined;
}
