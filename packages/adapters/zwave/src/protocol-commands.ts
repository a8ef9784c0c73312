import type { AdapterRequest, AnswerRequest, RequestTable } from "@ledge/port";
import { AdapterError, commandsOf } from "@ledge/port";
import type { ZWaveNode } from "zwave-js";
import type { Devices } from "./devices.ts";
import { faultOf } from "./fault.ts";
import { pinPattern } from "./key-exchange.ts";
import { isLongRange, nativeOf } from "./member.ts";
import { type Strategy, strategy } from "./pairing.ts";
import { libraryStatus } from "./reach.ts";
import { securityNameOf, securityNamesIn, someSecurityNamesIn } from "./security-class.ts";

type Command = Readonly<Record<string, unknown>>;
type Answer = (command: Command, devices: Devices) => unknown;

/** What an answer about a node says when the hub itself failed (wire-facts 2.1). */
const hubFailure = 0xff;
/** The `status` of a node in the list of nodes. */
const nodeStatus = { ok: 0, silent: 1, unknown: 2 } as const;
/** The `status` of the removal or the replacement of a failed node. */
const removal = { notFailed: 0, done: 1, failed: 2 } as const;
/** The `status` of a parameter. */
const parameterStatus = { ok: 0, timeout: 1, unsupported: 2, isBeingSet: 3 } as const;
/** The parameters that clients are setting, by node. */
const beingSet = new WeakMap<ZWaveNode, Set<number>>();
/** The library's ControllerStatus. */
const stickStatuses: readonly string[] = ["READY", "UNRESPONSIVE", "JAMMED"];
/** The regions of sticks (INS14259), by the library's RFRegion; those with Long Range have it beside the mesh. */
const regionNames: Readonly<Record<number, string>> = {
  0x00: "EU",
  0x01: "US",
  0x02: "ANZ",
  0x03: "HK",
  0x05: "IN",
  0x06: "IL",
  0x07: "RU",
  0x08: "CN",
  0x09: "US_LR",
  0x0b: "EU_LR",
  0x20: "JP",
  0x21: "KR",
  0xff: "EU",
};
const parameterSizes: ReadonlySet<number> = new Set([1, 2, 4]);

const inclusion: Answer = (_command, { pairing }) => {
  const { question } = pairing.keys;
  const asked =
    question &&
    (question.asks === "pin"
      ? { pinRequired: true, dsk: question.dsk }
      : { keysRequired: true, securityClasses: question.keys });
  return { type: "ZWAVE_INCLUSION_STATUS", ...pairing.state, ...asked };
};
const exclusion: Answer = (_command, { exclusion: { state } }) => ({
  type: "ZWAVE_EXCLUSION_STATUS",
  ...state,
});
const leaving: Answer = (_command, { leaving: { state } }) => ({ type: "ZWAVE_LEAVING_STATUS", ...state });

const answers: Readonly<Record<string, Answer>> = {
  async ZWAVE_START_INCLUSION(command, devices) {
    const isAsked = command["askKeys"] ?? false;
    if (typeof isAsked !== "boolean") throw new AdapterError("settings", "askKeys: must be true or false");
    const allowed = someSecurityNamesIn(command["securityClasses"]);
    await devices.pairing.start({ how: strategyIn(command), allowed, isAsked });
    return inclusion(command, devices);
  },
  GET_ZWAVE_INCLUSION_STATUS: inclusion,
  async ZWAVE_CANCEL_INCLUSION(command, devices) {
    await devices.pairing.cancel();
    return inclusion(command, devices);
  },
  ZWAVE_S2_KEYS({ securityClasses }, { pairing }) {
    if (!pairing.keys.grant(securityNamesIn(securityClasses)))
      throw new AdapterError("refused", "no device asks for keys");
    return true;
  },
  ZWAVE_S2_PIN({ pin }, { pairing }) {
    if (typeof pin !== "string" || !pinPattern.test(pin))
      throw new AdapterError("settings", "pin: must be the five digits on the device's label");
    if (!pairing.keys.enter(pin)) throw new AdapterError("refused", "no device waits for a PIN");
    return true;
  },
  ZWAVE_SMARTSTART_ADD: async (command, { smartStart }) => await smartStart.add(command),
  async ZWAVE_SMARTSTART_REMOVE({ dsk }, { smartStart }) {
    await smartStart.remove(dsk);
    return true;
  },
  ZWAVE_SMARTSTART_GET_LIST: (_command, { smartStart }) => smartStart.list(),
  async ZWAVE_START_EXCLUSION(command, devices) {
    await devices.exclusion.start();
    return exclusion(command, devices);
  },
  GET_ZWAVE_EXCLUSION_STATUS: exclusion,
  async ZWAVE_CANCEL_EXCLUSION(command, devices) {
    await devices.exclusion.cancel();
    devices.pairing.settle();
    return exclusion(command, devices);
  },
  ZWAVE_HEAL({ nodeId }, { rebuild, radio }) {
    if (nodeId === undefined || nodeId === null) rebuild.startAll();
    else {
      const id = nodeIdIn(nodeId);
      if (radio.controller().nodes.get(id)?.isControllerNode !== false)
        throw new AdapterError("refused", `nodeId: there is no node ${id}`);
      if (isLongRange(id))
        throw new AdapterError("refused", `nodeId: node ${id} has no routes, it has joined by Long Range`);
      rebuild.start(id);
    }
    return true;
  },
  GET_ZWAVE_HEAL_STATUS: (_command, { rebuild }) => ({ type: "ZWAVE_HEAL_STATUS", ...rebuild.state }),
  ZWAVE_CANCEL_HEAL(_command, { rebuild }) {
    rebuild.cancel();
    return { type: "ZWAVE_HEAL_STATUS", ...rebuild.state };
  },
  GET_ZWAVE_BACKUP: (_command, { nvm }) => backupObject(nvm),
  async ZWAVE_BACK_UP(_command, { nvm, radio }) {
    radio.controller();
    if (nvm.isSupported !== true)
      throw new AdapterError("unsupported", "this stick does not give its memory away");
    await nvm.backUp();
    return backupObject(nvm);
  },
  ZWAVE_RESTORE: async ({ type, network, confirm }, { restore }) => ({
    type,
    ...(await restore.ask(network, confirm)),
  }),
  GET_ZWAVE_RESTORE_STATUS: (_command, { restore }) => ({ type: "ZWAVE_RESTORE_STATUS", ...restore.state }),
  ZWAVE_UPGRADE_STICK: async ({ type, file, confirm }, { stickUpgrade }) => ({
    type,
    ...(await stickUpgrade.ask(file, confirm)),
  }),
  GET_ZWAVE_STICK_UPGRADE: (_command, { stickUpgrade }) => ({
    type: "ZWAVE_STICK_UPGRADE",
    ...stickUpgrade.state,
  }),
  GET_ZWAVE_STATISTICS(_command, { radio }) {
    const controller = radio.controller();
    const status = stickStatuses[controller.status] ?? null;
    const { supportsLongRange, rfRegion, statistics } = controller;
    const region = rfRegion === undefined ? null : (regionNames[rfRegion] ?? null);
    const air = { region, longRange: supportsLongRange === true };
    return { type: "ZWAVE_STATISTICS", status, ...air, ...statistics };
  },
  ZWAVE_HARD_RESET: async ({ type, confirm }, { hardReset }) => ({ type, ...(await hardReset.ask(confirm)) }),
  ZWAVE_START_LEAVING: async ({ type, confirm }, devices) => ({
    type,
    ...(await devices.leaving.ask(confirm)),
  }),
  GET_ZWAVE_LEAVING_STATUS: leaving,
  async ZWAVE_CANCEL_LEAVING(command, devices) {
    await devices.leaving.cancel();
    return leaving(command, devices);
  },
  ZWAVE_GET_NODES: (_command, devices) =>
    [...(devices.radio.driver?.controller.nodes.values() ?? [])]
      .filter((node) => !node.isControllerNode)
      .map((node) => ({
        ...nodeObject(node, devices.clock.now()),
        dropped: devices.droppedOf(node),
        // The hub puts the id of its device in the place of it.
        native: nativeOf(devices.radio.homeId, node.id),
      })),
  async ZWAVE_CHECK_FAILED({ type, nodeId }, { radio }) {
    const id = nodeIdIn(nodeId);
    const failed = { type, nodeId: id, isFailed: false };
    const node = radio.driver?.controller.nodes.get(id);
    if (node === undefined) return { ...failed, status: hubFailure, reason: "there is no such node" };
    try {
      // Only a ping tells the stick whether a node answers.
      await node.ping();
      return { ...failed, isFailed: await radio.controller().isFailedNode(id), status: 0, reason: null };
    } catch (error) {
      return { ...failed, status: hubFailure, reason: faultOf(error).message };
    }
  },
  ZWAVE_REMOVE_FAILED: (command, devices) =>
    failedNode(command, devices, async ({ id }) => await devices.radio.controller().removeFailedNode(id)),
  async ZWAVE_REPLACE_FAILED(command, devices) {
    const how = command["security"] === undefined ? undefined : strategyIn(command);
    return await failedNode(command, devices, async (node) => {
      if (isLongRange(node.id))
        throw new AdapterError(
          "refused",
          "nothing takes the place of a device with Long Range: enter the new one",
        );
      await devices.pairing.replace(node, how);
    });
  },
  async ZWAVE_UI_GET_CONFIGURATION(command, { radio }) {
    const { id, parameter, answer, node } = parameterIn(command, radio.driver?.controller.nodes);
    if (node === undefined) return { ...answer, status: hubFailure, reason: `there is no node ${id}` };
    return await settingOf(answer, async () => {
      const value = await node.commandClasses.Configuration.get(parameter);
      return typeof value === "number" ? value : undefined;
    });
  },
  async ZWAVE_UI_SET_CONFIGURATION(command, { radio }) {
    const { id, parameter, answer, node } = parameterIn(command, radio.driver?.controller.nodes);
    if (node === undefined) return { ...answer, status: hubFailure, reason: `there is no node ${id}` };
    const { size, value, default: isReset } = command;
    const { Configuration } = node.commandClasses;
    return await settingAlone(node, { ...answer, size: Number(size) }, async () => {
      if (isReset === true) await Configuration.reset(parameter);
      else if (typeof value !== "number" || !Number.isInteger(value) || !parameterSizes.has(Number(size)))
        throw new AdapterError("settings", "value: must be an integer, with a size of 1, 2 or 4 bytes");
      else await Configuration.set({ parameter, value, valueSize: Number(size) as 1 | 2 | 4 });
      const read = await Configuration.get(parameter);
      return typeof read === "number" ? read : undefined;
    });
  },
};

const withoutStick: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    ["ZWAVE_START_INCLUSION", "GET_ZWAVE_INCLUSION_STATUS", "ZWAVE_CANCEL_INCLUSION", "ZWAVE_HEAL"].map(
      (type) => [type, () => ({ type: "ZWAVE_INCLUSION_STATUS", status: "NO_ZWAVE", nodeId: null })],
    ),
  ),
  ...Object.fromEntries(
    ["ZWAVE_START_EXCLUSION", "GET_ZWAVE_EXCLUSION_STATUS", "ZWAVE_CANCEL_EXCLUSION"].map((type) => [
      type,
      () => ({ type: "ZWAVE_EXCLUSION_STATUS", status: "NO_ZWAVE", nodeId: null }),
    ]),
  ),
  GET_ZWAVE_LEAVING_STATUS: () => ({
    type: "ZWAVE_LEAVING_STATUS",
    status: "NO_ZWAVE",
    network: null,
    isMember: null,
  }),
};

/** The types of protocol commands that the adapter answers (hub-api 2.10, wire-facts 2.1). */
export const protocolCommandTypes = Object.keys(answers);

/**
 * Returns the handlers of the protocol commands.
 * @param devices returns the devices, and whether a stick is chosen; throws while the adapter does not run
 */
export function protocolCommands(
  devices: () => { readonly devices: Devices; readonly hasStick: boolean },
): RequestTable {
  const handler =
    (type: string): AnswerRequest =>
    async (request: AdapterRequest) => {
      const running = devices();
      const [command = {}] = commandsOf(request);
      const answer = (running.hasStick ? undefined : withoutStick[type]) ?? answers[type];
      return await answer?.(command, running.devices);
    };
  return Object.fromEntries(protocolCommandTypes.map((type) => [type, handler(type)]));
}

function strategyIn({ security }: Command): Strategy {
  if (security === undefined || security === null) return "default";
  const known = Object.keys(strategy).find((name) => name === security);
  if (known === undefined)
    throw new AdapterError("settings", `security: must be one of ${Object.keys(strategy).join(", ")}`);
  return known as Strategy;
}

/** Requests have node ids as texts too. @throws AdapterError for anything but a number */
function nodeIdIn(value: unknown): number {
  const id = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof id !== "number" || !Number.isInteger(id))
    throw new AdapterError("settings", "nodeId: must be a number");
  return id;
}

function parameterIn(
  { type, nodeId, parameter: asked, size }: Command,
  nodes: ReadonlyMap<number, ZWaveNode> | undefined,
) {
  const id = nodeIdIn(nodeId);
  const parameter = Number(asked);
  if (!Number.isInteger(parameter) || parameter < 0 || parameter > 0xffff)
    throw new AdapterError("settings", "parameter: must be a number from 0 to 65535");
  const answer = { type, nodeId: id, parameter, size: Number(size ?? 0), value: null, reason: null };
  return { id, parameter, answer, node: nodes?.get(id) };
}

function statisticsOf(statistics: ZWaveNode["statistics"]): object {
  const { commandsTX, commandsRX, commandsDroppedTX, commandsDroppedRX, timeoutResponse } = statistics;
  const counts = { commandsTX, commandsRX, commandsDroppedTX, commandsDroppedRX, timeoutResponse };
  const { rtt = null, rssi = null, lwr } = statistics;
  return { ...counts, rtt, rssi, repeaters: lwr?.repeaters ?? [] };
}

function backupObject({ facts, all, isSupported, isDue }: Devices["nvm"]): object {
  const none = { network: null, at: null, nodes: [], bytes: null };
  return { type: "ZWAVE_BACKUP", ...none, ...facts, isSupported: isSupported ?? null, isDue, backups: all };
}

/** Acts on a node that does not answer, and says how that went. */
async function failedNode(
  { type, nodeId }: Command,
  { radio }: Devices,
  act: (node: ZWaveNode) => Promise<void>,
): Promise<object> {
  const id = nodeIdIn(nodeId);
  const answer = { type, nodeId: id };
  const node = radio.driver?.controller.nodes.get(id);
  if (node?.isControllerNode !== false)
    return { ...answer, status: hubFailure, reason: "there is no such node" };
  // The library removes any node that does not answer, but a stick only one that it has tried to reach.
  if (await node.ping()) return { ...answer, status: removal.notFailed, reason: "the node answers" };
  try {
    await act(node);
    return { ...answer, status: removal.done, reason: null };
  } catch (error) {
    return { ...answer, status: removal.failed, reason: faultOf(error).message };
  }
}

/** As `settingOf`, unless somebody else is setting the same parameter. */
async function settingAlone(
  node: ZWaveNode,
  answer: { readonly parameter: number; readonly size: number },
  act: () => Promise<number | undefined>,
): Promise<object> {
  const set = beingSet.get(node) ?? new Set();
  beingSet.set(node, set);
  const { parameter } = answer;
  if (set.has(parameter))
    return { ...answer, status: parameterStatus.isBeingSet, reason: "somebody is setting this parameter" };
  set.add(parameter);
  try {
    return await settingOf(answer, act);
  } finally {
    set.delete(parameter);
  }
}

async function settingOf(answer: object, act: () => Promise<number | undefined>): Promise<object> {
  try {
    const value = await act();
    if (value !== undefined) return { ...answer, value, status: parameterStatus.ok };
    return { ...answer, status: parameterStatus.timeout, reason: "the device does not answer" };
  } catch (error) {
    const { code, message } = faultOf(error);
    if (code === "settings") throw error;
    const status =
      code === "timeout" || code === "unreachable" ? parameterStatus.timeout : parameterStatus.unsupported;
    return { ...answer, status, reason: message };
  }
}

function nodeObject(node: ZWaveNode, now: number): object {
  const { id, deviceClass, lastSeen } = node;
  const status: number = node.status;
  const key = node.getHighestSecurityClass();
  return {
    type: "ZWAVE_NODE",
    nodeId: id,
    status:
      status === libraryStatus.dead
        ? nodeStatus.silent
        : status === libraryStatus.unknown
          ? nodeStatus.unknown
          : nodeStatus.ok,
    ageMs: lastSeen === undefined ? null : Math.max(now - lastSeen.getTime(), 0),
    deviceId: null,
    securityKeys: key === undefined ? null : (securityNameOf(key) ?? "NONE"),
    basicDeviceClass: deviceClass?.basic ?? null,
    genericDeviceClass: deviceClass?.generic.key ?? null,
    genericClassName: deviceClass?.generic.label ?? null,
    specificClassName: deviceClass?.specific.label ?? null,
    listening: node.isListening === true,
    longRange: isLongRange(id),
    statistics: statisticsOf(node.statistics),
  };
}
