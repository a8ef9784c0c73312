import assert from "node:assert/strict";
import type {
  AdapterErrorCode,
  AdapterHost,
  AdapterLog,
  DeviceDescription,
  FoundDevice,
  NativeId,
  RadioTrouble,
  Report,
} from "./adapter.ts";
import { AdapterError } from "./adapter.ts";

/** What an adapter has told its host, in order, and what it has stored. */
export interface Recorded {
  readonly stored: Map<string, unknown>;
  readonly announced: DeviceDescription[];
  readonly reports: Report[];
  readonly found: FoundDevice[];
  readonly lost: NativeId[];
  readonly troubles?: (RadioTrouble | null)[];
}

/** Returns a host that records copies of all that an adapter tells it. */
export function recordingHost(
  { stored, announced, reports, found, lost, troubles }: Recorded,
  rest: Pick<AdapterHost, "settings" | "clock" | "folder" | "log">,
): AdapterHost {
  return {
    ...rest,
    store: {
      get: (key) => stored.get(key),
      put: async (key, value) => void stored.set(key, structuredClone(value)),
    },
    announce: (device) => void announced.push(structuredClone(device)),
    report: (report) => void reports.push(structuredClone(report)),
    found: (device) => void found.push(structuredClone(device)),
    lost: (native) => void lost.push(native),
    trouble: (trouble) => void troubles?.push(trouble),
  };
}

/** Returns a log that keeps the warnings and errors as texts, with their fields in JSON. */
export function complaintsIn(complaints: string[]): AdapterLog {
  return (level, message, fields = {}) => {
    if (level === "warn" || level === "error") complaints.push(`${message} ${JSON.stringify(fields)}`);
  };
}

/** Returns the error code of a command; undefined when it succeeded. */
export async function codeOf(outcome: Promise<unknown>): Promise<AdapterErrorCode | undefined> {
  try {
    await outcome;
    return undefined;
  } catch (error) {
    assert.ok(error instanceof AdapterError, String(error));
    return error.code;
  }
}
