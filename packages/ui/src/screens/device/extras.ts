import type { Device } from "../../store/wire.ts";

/** A value of an extra. */
export type ExtraValue = boolean | number | string;

/** An extra as the API shows it: something that a device shows or takes and for which the API has no attribute. */
export interface Extra {
  readonly name: string;
  readonly fieldType: "BOOL" | "NUMBER" | "TEXT" | "OPTION";
  readonly unit: string | null;
  readonly writable: boolean;
  /** A command: it has no value. */
  readonly momentary?: true;
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly options?: readonly (string | number)[];
  readonly value: ExtraValue | null;
}

/** Returns the extras of a device, in its order. */
export function extrasOf({ state }: Pick<Device, "state">): readonly Extra[] {
  const { extras } = state;
  return typeof extras === "object" && extras !== null ? Object.values(extras as Record<string, Extra>) : [];
}

/** Returns the name of an extra for a reader: names of adapters have points, dashes and capitals between words. */
export function titleOf({ name }: Pick<Extra, "name">): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[._\-\s]+/)
    .filter(Boolean)
    .join(" ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns what a text of a field stands for; undefined for what the extra does not take. */
export function typedFor(extra: Extra, text: string): ExtraValue | undefined {
  const { fieldType, minValue = -Infinity, maxValue = Infinity, options = [] } = extra;
  switch (fieldType) {
    case "BOOL":
      return text === "true" || text === "false" ? text === "true" : undefined;
    case "OPTION":
      return options.find((option) => String(option) === text);
    case "TEXT":
      return text;
    case "NUMBER": {
      const number = Number(text.trim().replace(",", "."));
      const isIn = number >= minValue && number <= maxValue;
      return text.trim() !== "" && isIn ? number : undefined;
    }
  }
}
