import type { Language, WhyGuard, WhyReading } from "@ledge/model";
import { shownText, whyText } from "@ledge/model";
import type { Template } from "../catalogue/template.ts";
import type { Read } from "./reads.ts";
import type { Asked } from "./trace.ts";

/** How many readings one sentence has. */
const told = 4;

/** Returns what a guard has read, with a sentence about what decided. */
export function guardOf(
  { from, on, to, held, reads, blamed }: Asked,
  template: Template,
  language: Language,
): WhyGuard {
  const readings = reads.filter(isTold).map((read) => readingOf(read, blamed.has(read), template, language));
  const way = `${from || "*"} → ${to ?? from}`;
  const decisive = reads.filter((read) => blamed.has(read));
  const said = sentence(held ? reads : [...decisive, ...settingsBeside(decisive, reads)], template, language);
  const text = whyText("GUARD", language, { way, readings: said || "-" });
  return { from, on, to, held, text, readings };
}

/** Returns the readings as a sentence, the most telling first. */
export function sentence(reads: readonly Read[], template: Template, language: Language): string {
  const hasNumber = reads.some(({ of, value }) => of === "state" && typeof value === "number");
  const said = reads
    .filter(isTold)
    .filter(({ of, value }) => of !== "setting" || (hasNumber && typeof value === "number"))
    .filter(({ of, value }) => of !== "kept" || typeof value !== "object")
    // A time of last contact tells the user nothing.
    .filter(({ of, name }) => of !== "state" || name !== "lastSeen")
    .map((read) => readingText(read, template, language));
  return [...new Set(said)].slice(0, told).join(", ");
}

/** Returns the bounds to show beside a decisive number. */
function settingsBeside(decisive: readonly Read[], reads: readonly Read[]): readonly Read[] {
  const isNumber = decisive.some(({ of, value }) => of === "state" && typeof value === "number");
  return isNumber ? reads.filter(({ of, value }) => of === "setting" && typeof value === "number") : [];
}

/** A reachable device, the time and a time range itself tell the user nothing. */
function isTold({ of, name, value }: Read): boolean {
  return (
    of !== "now" &&
    !(of === "state" && name === "reachable" && value !== false) &&
    !(of === "setting" && typeof value === "object" && value !== null)
  );
}

function readingOf(read: Read, decides: boolean, template: Template, language: Language): WhyReading {
  const { of, name, value = null, device } = read;
  const label = labelOf(read, template, language);
  const named = device === undefined ? null : { kind: "device", id: device.id, name: device.name };
  return { of, label, name, device: named, value, decides };
}

/** Returns the label of the template's field, or else the attribute's name. */
function labelOf({ of, name, field }: Read, template: Template, language: Language): string {
  const { fields } = template.texts[language];
  return fields[of === "setting" || of === "times" ? name : (field ?? "")]?.[0] ?? name;
}

function readingText(read: Read, template: Template, language: Language): string {
  const { of, name, value, device } = read;
  const label = labelOf(read, template, language);
  const by = {
    label,
    value: valueText(value),
    device: device?.name ?? label,
    shown: shownText(name, value, language),
  };
  switch (of) {
    case "state":
      return whyText("reading", language, by);
    case "change":
      if (name === "isNews") return whyText("reading.change.isNews", language, by);
      return whyText(name === "before" ? "reading.change.before" : "reading", language, by);
    case "times":
      return whyText(value === true ? "reading.times.true" : "reading.times.false", language, by);
    case "alarm":
      return whyText(value === true ? "reading.alarm.true" : "reading.alarm.false", language, {
        label: name,
      });
    case "kept":
      // A kept moment is something that the machine compares with the time.
      if (typeof value === "number" && value > 100_000_000_000) return whyText("reading.now", language);
      return whyText("reading.kept", language, { ...by, label: name });
    case "now":
      return whyText("reading.now", language);
    case "price":
      return whyText("reading.price", language, by);
    case "setting":
      return whyText("reading.setting", language, { label, value: settingText(read, template) });
  }
}

/** Returns a number with the unit of its field. */
function settingText({ name, value }: Read, { extras }: Template): string {
  if (typeof value !== "number") return valueText(value);
  const text = valueText(value);
  // For the other types the number is enough.
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check
  switch (extras[name]?.fieldType) {
    case "TIME_DELTA_MS":
      return durationText(value);
    case "PERCENT":
      return `${Math.round(value * 1000) / 10} %`;
    case "TEMPERATURE":
      return `${text} °C`;
    case "LUX":
      return `${text} lx`;
    case "POWER_W":
      return `${text} W`;
    default:
      return text;
  }
}

/** Returns a duration such as `2 min`, `1 h 30 min` or `1.5 s`. */
export function durationText(ms: number): string {
  if (ms < 60_000) return `${ms / 1000} s`;
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.round((ms % 3_600_000) / 60_000)];
  return [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`].filter(Boolean).join(" ");
}

function valueText(value: unknown): string {
  if (typeof value === "number") return String(Math.round(value * 1000) / 1000);
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
