import type { Kernel } from "@ledge/kernel";
import {
  allows,
  type CommandFailed,
  type CommandIssued,
  Id,
  limits,
  type LoggedEvent,
  orNull,
} from "@ledge/model";
import Type from "typebox";
import { respondUnrecorded } from "../json.ts";
import { notFound, Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import type { Asked } from "./device-answers.ts";
import { carryOut, DeviceCommandAnswer, DeviceCommandRequest } from "./device-commands.ts";

/** EXECUTED: a command was taken, and how to follow it. */
const Executed = Type.Object({
  type: Type.Literal("EXECUTED"),
  /** As `PUT /devices/command` answers. */
  value: DeviceCommandAnswer,
  /** For `GET /devices/outcome`; null when nothing was sent to the device, or nothing could be recorded. */
  track: orNull(Type.String()),
});

/** DEVICE_OUTCOME: what became of a command at its device. */
const DeviceOutcome = Type.Object({
  type: Type.Literal("DEVICE_OUTCOME"),
  track: Type.String(),
  deviceId: Id,
  /**
   * `done`: the device has accepted it. `expired`: the hub was down for longer than it was valid. `unknown`: the log
   * no longer holds its end.
   */
  outcome: Type.Enum(["pending", "done", "failed", "expired", "unknown"]),
  /** When it ended (ms since the epoch); null while it has not. */
  at: orNull(Type.Integer()),
  /** Why it failed, or waits (`asleep`): the adapter's code, and in words. */
  code: orNull(Type.String()),
  message: orNull(Type.String()),
});
type DeviceOutcome = Type.Static<typeof DeviceOutcome>;
type End = Pick<DeviceOutcome, "outcome" | "at" | "code" | "message">;

const pending: End = { outcome: "pending", at: null, code: null, message: null };
const unknown: End = { ...pending, outcome: "unknown" };

export const execute = [
  row({
    method: "PUT",
    path: "/devices/execute",
    summary: "Commands one device, and says how to follow what becomes of it there",
    access: "IDENTIFIED_USER",
    switches: true,
    body: DeviceCommandRequest,
    result: Executed,
    async handle(call) {
      const done = await carryOut([call.body as Asked], call);
      if (done instanceof Refused) return done;
      const { answer, committedAt, isRecorded } = done;
      if (answer instanceof Refused) return answer;
      const isSent = committedAt !== null && issuedBy(call.id, committedAt, call) !== undefined;
      const track = isSent ? `${committedAt}-${call.id}` : null;
      const executed = { type: "EXECUTED" as const, value: answer, track };
      return isRecorded ? executed : respondUnrecorded(executed);
    },
  }),
  row({
    method: "GET",
    path: "/devices/outcome",
    summary: "What became at the device of a command of PUT /devices/execute",
    access: "IDENTIFIED_USER",
    query: Type.Object({
      track: Type.String({ minLength: 1, maxLength: limits.idChars }),
      wait: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: limits.outcomeWaitMaxS,
          description: "seconds to wait while the command is pending; 0 by default",
        }),
      ),
    }),
    result: DeviceOutcome,
    async handle(call) {
      const { track, wait = 0 } = call.query;
      const [, committedAt, request = ""] = /^(\d{1,15})-(.+)$/.exec(track) ?? [];
      const issued = committedAt === undefined ? undefined : issuedBy(request, Number(committedAt), call);
      if (issued === undefined || !mayFollow(issued, call))
        return notFound("no such command", undefined, "track");
      const end = await endOf(issued.id, Number(committedAt), wait * 1000, call);
      return { type: "DEVICE_OUTCOME" as const, track, deviceId: issued.device, ...end };
    },
  }),
];

/** Returns the command that a request has issued to a device, from the commit of that time (ms). */
function issuedBy(
  request: string,
  committedAt: number,
  { hub: { kernel } }: Pick<Call, "hub">,
): LoggedEvent<CommandIssued> | undefined {
  if (committedAt > kernel.timestamp) return undefined;
  const [commit] = kernel.log.read(committedAt - 1, committedAt);
  const found = commit?.events.find(
    ({ type, cause }) => type === "CommandIssued" && cause === `request:${request}`,
  );
  return found as LoggedEvent<CommandIssued> | undefined;
}

/** Whether a caller may learn of a command: whoever sent it, and administrators. */
function mayFollow({ origin }: LoggedEvent, { caller }: Pick<Call, "caller">): boolean {
  return origin === caller.origin || allows("USER_ADMIN", caller.role);
}

/**
 * Returns how a command has ended. Waits for it while it is pending.
 * @param issuedAt when it was issued (ms)
 */
async function endOf(id: string, issuedAt: number, waitMs: number, { hub, signal }: Call): Promise<End> {
  const { kernel, clock } = hub;
  if (kernel.get("command", id) === undefined) return recordedEnd(id, issuedAt, kernel);
  if (waitMs === 0) return stillPending(id, kernel);
  const over = new AbortController();
  const cancel = clock.after(waitMs, () => over.abort());
  try {
    const given = AbortSignal.any([signal, over.signal]);
    for await (const { timestamp, events } of kernel.log.follow(kernel.timestamp, given)) {
      const end = endIn(id, timestamp, events);
      if (end !== undefined) return end;
    }
    return stillPending(id, kernel);
  } finally {
    cancel();
  }
}

/** A command that waits for a device that sleeps says so. */
function stillPending(id: string, kernel: Pick<Kernel, "get">): End {
  const { waits } = kernel.get("command", id) ?? {};
  return waits === undefined ? pending : { ...pending, code: "asleep", message: waits };
}

/** Returns the end of a command that is not pending any more, from the log. */
function recordedEnd(id: string, issuedAt: number, kernel: Pick<Kernel, "log">): End {
  const soon = issuedAt + limits.outcomeSpanMs;
  const { end, wasDeferred } = lookForEnd(id, issuedAt, soon, kernel);
  if (end !== undefined || !wasDeferred) return end ?? unknown;
  return lookForEnd(id, soon, issuedAt + limits.deferredSpanMs, kernel).end ?? unknown;
}

function lookForEnd(
  id: string,
  from: number,
  to: number,
  { log }: Pick<Kernel, "log">,
): { readonly end?: End; readonly wasDeferred: boolean } {
  const name = Buffer.from(id);
  let wasDeferred = false;
  const commits = log.read(from - 1, to, (bytes, start, end) => bytes.subarray(start, end).includes(name));
  for (const { timestamp, events } of commits) {
    const end = endIn(id, timestamp, events);
    if (end !== undefined) return { end, wasDeferred };
    wasDeferred ||= events.some((event) => event.id === id && event.type === "CommandDeferred");
  }
  return { wasDeferred };
}

function endIn(id: string, at: number, events: readonly LoggedEvent[]): End | undefined {
  for (const event of events) {
    if (event.id !== id) continue;
    if (event.type === "CommandSucceeded") return { ...pending, outcome: "done", at };
    if (event.type === "CommandExpired") return { ...pending, outcome: "expired", at };
    if (event.type !== "CommandFailed") continue;
    const { code, message } = event as LoggedEvent<CommandFailed>;
    return { outcome: "failed", at, code, message };
  }
  return undefined;
}
