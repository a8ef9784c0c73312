import type { ConfigurationItem } from "@ledge/model";
import { plainItem } from "../setting.ts";
import { isRecord } from "../values.ts";
import type { Expose } from "./expose.ts";
import { keyOf } from "./expose.ts";
import type { ExposedSetting } from "./settings.ts";

/** The days of a weekly schedule (ZCL 6.3.2.3.2.4.2) with their names. */
const days = {
  monday: { en: "Monday", fi: "Maanantai", sv: "Måndag", de: "Montag" },
  tuesday: { en: "Tuesday", fi: "Tiistai", sv: "Tisdag", de: "Dienstag" },
  wednesday: { en: "Wednesday", fi: "Keskiviikko", sv: "Onsdag", de: "Mittwoch" },
  thursday: { en: "Thursday", fi: "Torstai", sv: "Torsdag", de: "Donnerstag" },
  friday: { en: "Friday", fi: "Perjantai", sv: "Fredag", de: "Freitag" },
  saturday: { en: "Saturday", fi: "Lauantai", sv: "Lördag", de: "Samstag" },
  sunday: { en: "Sunday", fi: "Sunnuntai", sv: "Söndag", de: "Sonntag" },
  away_or_vacation: { en: "Away", fi: "Poissa", sv: "Borta", de: "Abwesend" },
} as const satisfies Record<string, ConfigurationItem["label"]>;

const help = {
  en: "Times with setpoints in °C, such as 06:00/20.5 22:00/17; at most 10",
  fi: "Ajat ja asetusarvot (°C), kuten 06:00/20.5 22:00/17; enintään 10",
  sv: "Tider med börvärden i °C, till exempel 06:00/20.5 22:00/17; högst 10",
  de: "Zeiten mit Sollwerten in °C, etwa 06:00/20.5 22:00/17; höchstens 10",
} as const;
/** The most transitions that one frame of a weekly schedule holds (ZCL 6.3.2.3.2.4.1). */
const most = 10;

/** Whether an expose is the weekly schedule of a thermostat, with its days and transitions. */
export function isWeeklySchedule({ type, features }: Expose): boolean {
  const names = new Set(features.map(({ property }) => property));
  return type === "composite" && names.has("dayofweek") && names.has("transitions");
}

/** Returns a setting for each day of a weekly schedule. */
export function scheduleSettings(expose: Expose): readonly ExposedSetting[] {
  const { property, endpoint, isReadable } = expose;
  const parts = JSON.stringify(expose.features);
  const isCooling = parts.includes("coolSetpoint") && !parts.includes("heatSetpoint");
  const setpoint = isCooling ? "coolSetpoint" : "heatSetpoint";
  return Object.entries(days).map(([day, label]) => ({
    property,
    endpoint,
    key: keyOf(expose),
    path: [],
    isSaid: true,
    isSettable: true,
    isReadable,
    alone: true as const,
    item: { ...plainItem, name: `${property}.${day}`, fieldType: "TEXT", label, help },
    from: (value) => dayIn(value, day),
    to: (value) => {
      const transitions = transitionsOf(String(value), setpoint);
      return transitions === undefined ? undefined : { dayofweek: [day], transitions };
    },
  }));
}

/** Returns a day of a schedule that a device reports, as text; undefined when it is about other days. */
function dayIn(value: unknown, day: string): string | undefined {
  if (!isRecord(value) || !Array.isArray(value["days"]) || !value["days"].includes(day)) return undefined;
  const { transitions } = value;
  if (!Array.isArray(transitions) || transitions.length > most) return undefined;
  const texts = transitions.map(textOf);
  return texts.includes(undefined) ? undefined : texts.join(" ");
}

function textOf(transition: unknown): string | undefined {
  if (!isRecord(transition)) return undefined;
  const { time, heating_setpoint: heating, cooling_setpoint: cooling } = transition;
  const celsius = heating ?? cooling;
  if (typeof time !== "number" || !Number.isInteger(time) || time < 0 || time >= 1440) return undefined;
  if (typeof celsius !== "number" || !(celsius >= -50 && celsius <= 150)) return undefined;
  const clock = [Math.floor(time / 60), time % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `${clock}/${celsius}`;
}

/** Parses `06:00/20.5 22:00/17`; undefined for anything else. */
function transitionsOf(text: string, setpoint: string): readonly object[] | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length > most) return undefined;
  const transitions = parts.map((part) => {
    const [, hour, minute, celsius] =
      /^([01]?\d|2[0-3]):([0-5]\d)\/(-?\d{1,3}(?:\.\d{1,2})?)$/.exec(part) ?? [];
    if (hour === undefined || minute === undefined || celsius === undefined) return undefined;
    return { transitionTime: `${hour}:${minute}`, [setpoint]: Number(celsius) };
  });
  return transitions.every((each) => each !== undefined) ? transitions : undefined;
}
