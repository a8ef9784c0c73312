import type { ConfigurationItem } from "@ledge/model";
import type { DeviceConfiguration } from "@ledge/port";
import { plainItem, refuseSetting } from "@ledge/port";

/** The lowest priority (ASHRAE 135, 19.2), with which the hub commands unless told otherwise: the building's own controls win. */
export const lowestPriority = 16;
/** Nobody but minimum on and off times may use this priority (19.2.3). */
export const reservedPriority = 6;

/** Those that the hub may have. Life safety keeps 1 and 2 to itself. */
const priorities = Array.from({ length: lowestPriority }, (_, index) => index + 1).filter(
  (priority) => priority > 2 && priority !== reservedPriority,
);

/** How the hub holds a commandable object. */
export interface Hold {
  readonly priority: number;
  /** Ends the hub's hold now: the object does what others, or its default, want. */
  readonly relinquish: boolean;
}

const named = (priority: number): string => (priority === 8 ? "8 (manual operator)" : String(priority));

const items: readonly ConfigurationItem[] = [
  {
    ...plainItem,
    name: "priority",
    fieldType: "OPTION",
    label: {
      en: "Priority of commands",
      fi: "Komentojen prioriteetti",
      sv: "Kommandons prioritet",
      de: "Priorität der Befehle",
    },
    help: {
      en: "A smaller number wins. 16 lets the building's own controls win.",
      fi: "Pienempi numero voittaa. 16 antaa rakennuksen omien säätimien voittaa.",
      sv: "Ett mindre tal vinner. 16 låter byggnadens egen styrning vinna.",
      de: "Die kleinere Zahl gewinnt. Bei 16 gewinnt die Steuerung des Gebäudes.",
    },
    defaultValue: lowestPriority,
    options: priorities.map((value) => ({ value, label: { en: named(value) } })),
  },
  {
    ...plainItem,
    name: "relinquish",
    fieldType: "BOOL",
    label: { en: "Let go", fi: "Luovuta ohjaus", sv: "Släpp styrningen", de: "Freigeben" },
    help: {
      en: "Ends what the hub has commanded. The next command holds the object again.",
      fi: "Päättää keskittimen komennon. Seuraava komento ottaa kohteen taas haltuun.",
      sv: "Avslutar det som hubben har beordrat. Nästa kommando tar över objektet igen.",
      de: "Beendet, was der Hub befohlen hat. Der nächste Befehl hält das Objekt wieder.",
    },
  },
];

/** Returns the settings of a commandable object. */
export function holdConfiguration(priority: number): DeviceConfiguration {
  return { items, values: { priority, relinquish: false } };
}

/** Reads the parameters of SET_CONFIGURATION. @throws AdapterError `settings` */
export function readHold(parameters: unknown): Partial<Hold> {
  const { priority, relinquish, ...others } = Object(parameters) as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return refuseSetting(unknown, "is no setting of a BACnet object");
  if (priority !== undefined && !priorities.includes(priority as number))
    return refuseSetting("priority", `must be one of ${priorities.join(", ")}`);
  if (relinquish !== undefined && typeof relinquish !== "boolean")
    return refuseSetting("relinquish", "must be true or false");
  return {
    ...(priority !== undefined && { priority: priority as number }),
    ...(relinquish !== undefined && { relinquish }),
  };
}
