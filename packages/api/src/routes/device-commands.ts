import {
  CmdDevice,
  CmdDeviceMeta,
  CmdDeviceOff,
  CmdDeviceOn,
  CmdIdentify,
  CmdIgnoreDevice,
  CmdRefreshDevice,
  CmdReplaceDevice,
  CmdResetIgnored,
  CmdSnapshot,
  CmdStartUpgrade,
  type Command,
  limits,
} from "@ledge/model";
import Type from "typebox";
import { askedFor } from "../adapter-answers.ts";
import { respondUnrecorded } from "../json.ts";
import { invalid, Refused } from "../refused.ts";
import type { Answer, Call } from "../row.ts";
import { notOwnClient, refusedItem, switching, unconfigurable, unreadable } from "../submit.ts";
import type { Asked } from "./device-answers.ts";
import { questions } from "./device-questions.ts";

/** What `PUT /devices/command` takes (hub-api 4.2, docs/api-commands.md). */
export const DeviceCommandRequest = Type.Union([
  CmdDevice,
  CmdDeviceOn,
  CmdDeviceOff,
  CmdDeviceMeta,
  CmdIdentify,
  CmdRefreshDevice,
  CmdSnapshot,
  CmdIgnoreDevice,
  CmdResetIgnored,
  CmdReplaceDevice,
  CmdStartUpgrade,
  ...[...questions.values()].map(({ command }) => command),
]);

/** What it answers: that of the first command which has an answer, else null. */
export const DeviceCommandAnswer = Type.Union([
  Type.Null(),
  Type.Boolean(),
  ...[...questions.values()].map(({ answer }) => answer),
]);

type DeviceCommandAnswer = Type.Static<typeof DeviceCommandAnswer>;

/** Commands that are answered with what came of them: `true`, or a refusal. */
const synchronous: ReadonlySet<string> = new Set([
  "CMD_IGNORE_DEVICE",
  "CMD_RESET_IGNORED",
  "CMD_REPLACE_DEVICE",
]);

/** Commands that take away what somebody has set up. */
const removing: ReadonlySet<string> = new Set(["CMD_IGNORE_DEVICE", "CMD_REPLACE_DEVICE"]);

/** What became of a list of commands. */
export interface Commanded {
  /** Of the first command that has one, else null. */
  readonly answer: DeviceCommandAnswer | Refused;
  /** When what changes something was committed (ms); null when nothing was. */
  readonly committedAt: number | null;
  /** False: the devices were switched while the hub could record nothing. */
  readonly isRecorded: boolean;
}

/** Carries out the commands of the body, and answers with the answer of the first which has one, else null. */
export async function commandDevices(call: Call): Promise<Answer<DeviceCommandAnswer>> {
  const done = await carryOut(call.body as readonly Asked[], call);
  if (done instanceof Refused) return done;
  const { answer, isRecorded } = done;
  return isRecorded || answer instanceof Refused ? answer : respondUnrecorded(answer);
}

/**
 * Carries out commands: all that change something in one commit, with who asks for what acts, then those that ask,
 * in their order.
 */
export async function carryOut(body: readonly Asked[], call: Call): Promise<Commanded | Refused> {
  const [first] = body;
  // It answers whether the device was ignored: one that is not there cannot be.
  if (body.length === 1 && first?.type === "CMD_IGNORE_DEVICE") {
    const isThere = call.hub.kernel.readable("device", first.id ?? "", call.caller);
    if (!isThere) return { answer: false, committedAt: null, isRecorded: true };
  }
  const ids = body.map(({ id }) => id);
  const removed = body.map(({ type, id }) => (removing.has(type) ? id : undefined));
  const replacing = body.map(({ type, by }) => (type === "CMD_REPLACE_DEVICE" ? String(by) : undefined));
  const refused =
    unreadable(call, "device", ids) ??
    unreadable(call, "device", replacing) ??
    unconfigurable(call, removed) ??
    unconfigurable(call, replacing) ??
    notOwnClient(call, body) ??
    notAsked(body, call);
  if (refused !== undefined) return refused;
  const asks = body.some(({ type }) => questions.has(type));
  const records = asks ? await Promise.all(body.map((command) => recordOf(command, call))) : body;
  const changing = records.flatMap((recorded, index) =>
    recorded === undefined ? [] : [{ recorded, index }],
  );
  const commands = changing.map(({ recorded }) => recorded);
  const done = commands.length === 0 ? undefined : await switching(call, commands);
  if (done instanceof Refused) {
    return placed(
      done,
      changing.map(({ index }) => index),
    );
  }
  const answers: unknown[] = [];
  for (const command of body) {
    const question = questions.get(command.type);
    if (question !== undefined) answers.push(await question.ask(command, call));
    else if (synchronous.has(command.type)) answers.push(true);
  }
  const [answer = null] = answers;
  const { committedAt = null } = done ?? {};
  const isRecorded = done === undefined || committedAt !== null;
  return { answer: answer as DeviceCommandAnswer | Refused, committedAt, isRecorded };
}

/** What the log has of a command: itself, or of one that asks, who has asked where that acts. */
async function recordOf(command: Asked, call: Call): Promise<Command | undefined> {
  const question = questions.get(command.type);
  if (question === undefined) return command;
  const { acts } = question;
  if (acts === undefined || (await call.hub.offering(acts)).length === 0) return undefined;
  const isOfDevice = "id" in question.command.properties;
  return askedFor(call, acts, isOfDevice ? (command.id ?? null) : null);
}

function notAsked(body: readonly Asked[], call: Call): Refused | undefined {
  const asking = body.flatMap(({ type }, index) => (questions.has(type) ? [index] : []));
  const beyond = asking[limits.questionsPerRequest];
  if (beyond !== undefined) {
    const message = `is one of more than ${limits.questionsPerRequest} commands that ask`;
    return invalid([{ index: beyond, field: "type", message }]);
  }
  for (const [index, command] of body.entries()) {
    const problem = questions.get(command.type)?.problem?.(command, call);
    if (problem !== undefined) return refusedItem(call, 422, index, problem);
  }
  return undefined;
}

/** A refusal of one of several items, by the places that they have in the whole list. */
function placed({ status, message, problems, retryAfterS }: Refused, places: readonly number[]): Refused {
  const inWhole = problems.map(({ index, ...problem }) => {
    return index === undefined ? problem : { ...problem, index: places[index] ?? index };
  });
  return new Refused(status, message, inWhole, retryAfterS);
}
