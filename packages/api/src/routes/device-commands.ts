import {
  CmdDevice,
  CmdDeviceMeta,
  CmdDeviceOff,
  CmdDeviceOn,
  CmdGetUpgradeInfo,
  CmdGetUpgradeInfos,
  CmdIgnoreDevice,
  CmdResetIgnored,
  CmdStartUpgrade,
  upgradeInfo,
  upgradeProblem,
} from "@ledge/model";
import Type from "typebox";
import { respondUnrecorded } from "../json.ts";
import { type Problem, Refused } from "../refused.ts";
import type { Answer, Call } from "../row.ts";
import { submitSwitching, unreadable } from "../submit.ts";

/** What `PUT /devices/command` takes (hub-api 4.2, docs/api-commands.md). */
export const DeviceCommandRequest = Type.Union([
  CmdDevice,
  CmdDeviceOn,
  CmdDeviceOff,
  CmdDeviceMeta,
  CmdIgnoreDevice,
  CmdResetIgnored,
  CmdStartUpgrade,
  CmdGetUpgradeInfo,
  CmdGetUpgradeInfos,
]);
type DeviceCommandRequest = Type.Static<typeof DeviceCommandRequest>;

type Of<Name extends DeviceCommandRequest["type"]> = Extract<DeviceCommandRequest, { type: Name }>;

/** A command that asks: nothing changes, and its answer is the row's. */
interface Question<Command> {
  /** Why it is not even asked. */
  problem?(command: Command, call: Call): Problem | undefined;
  answer(command: Command, call: Call): unknown;
}

interface Questions {
  CMD_GET_UPGRADE_INFO: Question<Of<"CMD_GET_UPGRADE_INFO">>;
  CMD_GET_UPGRADE_INFOS: Question<Of<"CMD_GET_UPGRADE_INFOS">>;
}

const questions: Questions = {
  CMD_GET_UPGRADE_INFO: {
    problem({ id }, { hub: { kernel } }) {
      const device = kernel.get("device", id);
      const message = device && upgradeProblem(device);
      return message === undefined ? undefined : { field: "id", message };
    },
    answer: ({ id }, { hub: { kernel } }) => upgradeInfo(id, kernel.get("upgrade", id)),
  },
  CMD_GET_UPGRADE_INFOS: {
    answer: (_, { caller, hub: { kernel } }) =>
      [...kernel.all("device")]
        .filter(
          ([id, device]) => upgradeProblem(device) === undefined && kernel.readable("device", id, caller),
        )
        .map(([id]) => upgradeInfo(id, kernel.get("upgrade", id))),
  },
};

/** Commands that are answered with what came of them: `true`, or a refusal. */
const synchronous: ReadonlySet<string> = new Set(["CMD_IGNORE_DEVICE", "CMD_RESET_IGNORED"]);

/**
 * Carries out a list of commands: all that change something in one commit, then those that ask, in their order. The
 * answer is that of the first command which has one, else null.
 */
export async function commandDevices(call: Call<unknown, DeviceCommandRequest[]>): Promise<Answer<unknown>> {
  const { body } = call;
  const [first] = body;
  // It answers whether the device was ignored: one that is not there cannot be.
  if (body.length === 1 && first?.type === "CMD_IGNORE_DEVICE") {
    if (!call.hub.kernel.readable("device", first.id, call.caller)) return false;
  }
  const ids = body.map((each) => ("id" in each ? each.id : null));
  const refused = unreadable(call, "device", ids) ?? notAsked(call);
  if (refused !== undefined) return refused;
  const changing = body.flatMap((command, index) => (isQuestion(command) ? [] : [{ command, index }]));
  const commands = changing.map(({ command }) => command);
  const done = commands.length === 0 ? null : await submitSwitching(call, commands, null);
  if (done instanceof Refused) {
    return placed(
      done,
      changing.map(({ index }) => index),
    );
  }
  const answers: unknown[] = [];
  for (const command of body) {
    if (isQuestion(command)) answers.push(await questionOf(command).answer(command, call));
    else if (synchronous.has(command.type)) answers.push(true);
  }
  const [answer = null] = answers;
  return done instanceof Response && !(answer instanceof Refused) ? respondUnrecorded(answer) : answer;
}

function isQuestion(command: DeviceCommandRequest): command is Of<keyof Questions> {
  return Object.hasOwn(questions, command.type);
}

function questionOf(command: Of<keyof Questions>): Question<Of<keyof Questions>> {
  return questions[command.type];
}

function notAsked(call: Call<unknown, DeviceCommandRequest[]>): Refused | undefined {
  for (const [index, command] of call.body.entries()) {
    const problem = isQuestion(command) ? questionOf(command).problem?.(command, call) : undefined;
    if (problem !== undefined)
      return new Refused(422, problem.message, [call.isList ? { ...problem, index } : problem]);
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
