import type { CommandResult, Outcome } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import { type Command, mayConfigure, type States } from "@ledge/model";
import { respondUnrecorded } from "./json.ts";
import { notFound, type Problem, Refused, refusedBy } from "./refused.ts";
import type { Call } from "./row.ts";

/**
 * Submits commands to the kernel for the caller. Resolves when their events are durable and visible.
 * One command per item of the body, so that a refusal names the item.
 * @param each judges every command for itself; otherwise one that is refused refuses all.
 * @param pathOf where the wrong field of a command stands in a body that is no list.
 */
export async function submit(
  call: Call,
  commands: readonly Command[],
  each = false,
  pathOf?: (index: number, field: string) => string,
): Promise<readonly CommandResult[] | Refused> {
  if (commands.length === 0) return [];
  const done = await commit(call, commands, each, pathOf);
  return done instanceof Refused ? done : done.results;
}

/** As `submit`, of at least one command. @returns what was committed, and when */
async function commit(
  call: Call,
  commands: readonly Command[],
  each = false,
  pathOf?: (index: number, field: string) => string,
): Promise<Extract<Outcome, { readonly accepted: true }> | Refused> {
  const { origin } = call.caller;
  const relayed = call.listener === "remote";
  const outcome = await call.hub.kernel.submit({
    commands,
    origin,
    cause: causeOf(call),
    each,
    relayed,
  });
  if (outcome.accepted) return outcome;
  const { rejection, index } = outcome;
  if (pathOf === undefined) return refusedBy(rejection, call.isList ? index : undefined);
  return refusedBy({ ...rejection, field: pathOf(index, rejection.field ?? "") });
}

/** Like `submit`, for rows with a fixed result on success. */
export async function submitFor<Result>(
  call: Call,
  commands: readonly Command[],
  result: Result,
): Promise<Result | Refused> {
  const done = await submit(call, commands);
  return done instanceof Refused ? done : result;
}

/** What the events of a request name as their cause. */
function causeOf({ id }: Pick<Call, "id">): `request:${string}` {
  return `request:${id}`;
}

/**
 * As `submitFor`, of commands that may only switch devices: while the kernel is read-only they are carried out
 * without a record, and the answer's header says so.
 */
export async function submitSwitching<Result>(
  call: Call,
  commands: readonly Command[],
  result: Result,
): Promise<Result | Refused | Response> {
  const done = await switching(call, commands);
  if (done instanceof Refused) return done;
  return done.committedAt === null ? respondUnrecorded(result) : result;
}

/**
 * Submits commands that may only switch devices.
 * @returns when they were committed (ms); null while the kernel is read-only and they left no record
 */
export async function switching(
  call: Call,
  commands: readonly Command[],
): Promise<{ readonly committedAt: number | null } | Refused> {
  try {
    const done = await commit(call, commands);
    return done instanceof Refused ? done : { committedAt: done.timestamp };
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    const { origin } = call.caller;
    const outcome = call.hub.switchUnrecorded({ commands, origin, cause: causeOf(call) });
    if (outcome === undefined) throw error;
    if (outcome.accepted) return { committedAt: null };
    return refusedBy(outcome.rejection, call.isList ? outcome.index : undefined);
  }
}

/** Like `submit`, for rows that answer with each command's object as it is after all commands. */
export async function submitForObjects<Result extends object>(
  call: Call,
  commands: readonly Command[],
  kind: keyof States,
  pathOf?: (index: number, field: string) => string,
): Promise<Result[] | Refused> {
  const done = await submit(call, commands, false, pathOf);
  if (done instanceof Refused) return done;
  const { caller, language, hub } = call;
  return done.flatMap((result) => {
    const id = "id" in result ? result.id : undefined;
    const shown = id === undefined ? undefined : hub.kernel.render(kind, id, caller, language);
    return shown === undefined ? [] : [shown as Result];
  });
}

/**
 * Refuses ids that the caller may not read, as if the objects did not exist.
 * @param item place of the one item that they all belong to; by default each id is an item's.
 */
export function unreadable(
  call: Call,
  kind: keyof States,
  ids: readonly (string | null | undefined)[],
  item?: number,
): Refused | undefined {
  const { kernel } = call.hub;
  const index = ids.findIndex((id) => typeof id === "string" && !kernel.readable(kind, id, call.caller));
  if (index === -1) return undefined;
  const message = `no ${kind} ${ids[index] as string}`;
  return notFound(
    message,
    call.isList ? (item ?? index) : undefined,
    item === undefined ? "id" : "targetIds",
  );
}

/** Refuses what is wrong with one item of the body, which names its place where the body is a list. */
export function refusedItem(call: Call, status: number, index: number, problem: Problem): Refused {
  return new Refused(status, problem.message, [call.isList ? { ...problem, index } : problem]);
}

/** Refuses commands by which somebody would say when another user counts as away; ids that are nobody's pass. */
export function notOwnClient(
  call: Call,
  commands: readonly { readonly id?: string | null; readonly awayThreshold?: number | null }[],
): Refused | undefined {
  const index = commands.findIndex(({ id, awayThreshold = null }) => {
    if (awayThreshold === null || typeof id !== "string") return false;
    const user = call.hub.kernel.get("device", id)?.state["user"];
    return user !== undefined && user !== call.caller.user;
  });
  if (index === -1) return undefined;
  const problem = { field: "awayThreshold", message: "only its own user says when a client is away" };
  return refusedItem(call, 403, index, problem);
}

/** Refuses devices that the caller's role may not configure or remove. Unknown devices pass. */
export function unconfigurable(call: Call, ids: readonly (string | undefined)[]): Refused | undefined {
  const index = ids.findIndex((id) => {
    const device = id === undefined ? undefined : call.hub.kernel.get("device", id);
    return device !== undefined && !mayConfigure(device, call.caller.role);
  });
  if (index === -1) return undefined;
  const problem = { field: "id", message: "the device is locked" };
  return refusedItem(call, 403, index, problem);
}
