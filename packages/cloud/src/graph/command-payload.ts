import { parseJson, Refused } from "@ledge/link";
import { limits, lazyValidator } from "@ledge/model";
import { decodeMessagePack } from "@ledge/signalr";
import Type from "typebox";
import { Failed, invalidFields } from "./errors.ts";

/** A command of the hub API for a device. The hub checks the rest. */
export const HubCommand = Type.Object({ type: Type.String({ minLength: 1, maxLength: limits.idChars }) });
export type HubCommand = Readonly<Record<string, unknown>>;

export const payloadTypes = ["application/json", "application/msgpack"] as const;
export type PayloadType = (typeof payloadTypes)[number];

const commands = lazyValidator(HubCommand);

/** Returns the command in a payload: base64 of JSON, or of MessagePack that means the same. */
export function commandIn(payload: string, type: PayloadType = "application/json"): HubCommand | Failed {
  const wrong = (message: string): Failed => invalidFields([{ field: "payload", message }]);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(payload)) return wrong("is not base64");
  const bytes = Buffer.from(payload, "base64");
  const value = type === "application/json" ? inJson(bytes) : inMessagePack(bytes);
  if (value === undefined) return wrong(`is not a command as ${type}`);
  return commands.Check(value) ? value : wrong("is not a command of the hub API");
}

function inJson(bytes: Buffer): unknown {
  const parsed = parseJson(bytes);
  return parsed instanceof Refused ? undefined : parsed.value;
}

/** Values that JSON has no word for make the whole invalid: bytes, times, numbers without end. */
function inMessagePack(bytes: Buffer): unknown {
  try {
    const value = decodeMessagePack(bytes, limits.bodyDepth);
    return isJson(value) ? inJson(Buffer.from(JSON.stringify(value))) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is the same after a way through JSON. It is not nested deeply. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value as object).every(isJson);
}
