import { isRecord } from "@ledge/exposes";
import type { Target } from "./topics.ts";
import { climateCommand } from "./climate.ts";
import { coverCommand } from "./cover.ts";
import { lightCommand } from "./light.ts";
import { lockCommand } from "./locks.ts";

type Json = Readonly<Record<string, unknown>>;

/** How much of a message is read. */
const mostBytes = 16_384;

/**
 * Returns the attributes that a message sets.
 * @returns why not, as a text
 */
export function attributesOf({ kind, what }: Target, payload: Buffer): Json | string {
  if (payload.length > mostBytes) return `is longer than ${mostBytes} bytes`;
  const text = payload.toString("utf8");
  if (kind === "scene" || kind === "rule") return switched(what, text);
  if (what.type === "one") {
    const value = valueIn(text);
    return value === undefined ? "says nothing" : { [what.name]: value };
  }
  if (what.type === "all") {
    const value = jsonIn(text);
    return isRecord(value) ? value : "must be a JSON object of attributes";
  }
  const part = Object.hasOwn(parts, what.name) ? parts[what.name] : undefined;
  return part === undefined ? `there is no ${what.name}` : part(text);
}

const parts: Readonly<Record<string, (text: string) => Json | string>> = {
  light: (text) => lightCommand(jsonIn(text)),
  climate: (text) => climateCommand(jsonIn(text)),
  cover: coverCommand,
  lock: lockCommand,
};

function switched({ type }: Target["what"], text: string): Json | string {
  const value = type === "all" ? valueIn(text) : undefined;
  if (typeof value === "boolean") return { isOn: value };
  if (isRecord(value) && typeof value["isOn"] === "boolean") return { isOn: value["isOn"] };
  return "must be ON or OFF";
}

const words: Readonly<Record<string, unknown>> = { ON: true, OFF: false };

/** Reads ON and OFF, JSON, or a word. */
function valueIn(text: string): unknown {
  if (text === "") return undefined;
  if (Object.hasOwn(words, text.toUpperCase())) return words[text.toUpperCase()];
  const value = jsonIn(text);
  return value === undefined ? text : value;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
