import Type from "typebox";
import { lazyValidator } from "./lazy-validator.ts";
import type { Decider, Decision, World } from "./decider.ts";
import { reject } from "./decider.ts";
import type { Device } from "./device-object.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";
import { limits } from "./limits.ts";
import { Id, orNull } from "./schema.ts";

const Version = orNull(Type.String({ maxLength: limits.nameChars }));

const fields = {
  fwVersion: Version,
  swVersion: Version,
  /** The version that an upgrade would install or is installing; null for none. */
  newFwVersion: Version,
  newSwVersion: Version,
  /** When the last upgrade was installed (ms since the epoch), 0 for never. */
  lastUpgrade: Type.Integer({ minimum: 0 }),
  /** The device installs available upgrades by itself. */
  autoInstall: Type.Boolean(),
  /** Progress of the running installation. */
  pctComplete: orNull(Type.Number({ minimum: 0, maximum: 100 })),
  /** How much longer it takes (ms). */
  etaMs: orNull(Type.Integer({ minimum: 0 })),
};

/**
 * An adapter's report about a device's upgrade. `REQUESTED`: the adapter keeps the request until the device can
 * begin, such as when it wakes. `message`: what it waits for, or why it failed.
 */
export const UpgradeReport = Type.Object({
  status: Type.Enum(["UP_TO_DATE", "AVAILABLE", "REQUESTED", "INSTALLING", "FAILED"]),
  ...fields,
  message: orNull(Type.String({ maxLength: limits.alarmFactChars })),
});
export type UpgradeReport = Type.Static<typeof UpgradeReport>;

/**
 * UPGRADE_INFO (hub-api 2.5). The status is that of the adapter's report, or `UNKNOWN` before the first one,
 * `REQUESTED` from the command until the device begins, `REFUSED` when it did not begin. `message` is an
 * addition.
 */
export const UpgradeInfo = Type.Object({
  type: Type.Literal("UPGRADE_INFO"),
  id: Id,
  status: Type.Enum(["UNKNOWN", "UP_TO_DATE", "AVAILABLE", "REQUESTED", "INSTALLING", "FAILED", "REFUSED"]),
  ...fields,
  message: orNull(Type.String()),
});
export type UpgradeInfo = Type.Static<typeof UpgradeInfo>;

/** A device's firmware and the available upgrade. */
export interface Upgrade {
  readonly id: string;
  readonly report: UpgradeReport;
  /** The request that the device has not begun yet, or null. */
  readonly requested: string | null;
  /** Why it refused the last one, or null. */
  readonly refusal: string | null;
  /** Why the upgrade under way was lost. */
  readonly lost?: string;
  /** When it was last heard of (ms since the epoch). */
  readonly heardAt?: number;
}

declare module "./states.ts" {
  interface States {
    upgrade: Upgrade;
  }
}

export const CmdGetUpgradeInfo = Type.Object({ type: Type.Literal("CMD_GET_UPGRADE_INFO"), id: Id });
export const CmdGetUpgradeInfos = Type.Object({ type: Type.Literal("CMD_GET_UPGRADE_INFOS") });
/** Gives up an upgrade that waits for its device. */
export const CmdCancelUpgrade = Type.Object({ type: Type.Literal("CMD_CANCEL_UPGRADE"), id: Id });
/** Installs the available upgrade; the device's UPGRADE_INFO shows its progress. */
export const CmdStartUpgrade = Type.Object({ type: Type.Literal("CMD_START_UPGRADE"), id: Id });

export type UpgradeCommand =
  | Type.Static<typeof CmdStartUpgrade>
  /** The adapter's report; null when it no longer upgrades this device. */
  | { type: "NOTE_UPGRADE"; id: string; upgrade: UpgradeReport | null }
  | { type: "NOTE_UPGRADE_REFUSED"; id: string; request: string; code: string; message: string }
  /** The upgrade under way is not heard of any more. */
  | { type: "NOTE_UPGRADE_LOST"; id: string; message: string };

const UpgradeReported = telemetry(
  defineEvent("UpgradeReported", 1, {
    status: Type.String(),
    fwVersion: orNull(Type.String()),
    swVersion: orNull(Type.String()),
    newFwVersion: orNull(Type.String()),
    newSwVersion: orNull(Type.String()),
    lastUpgrade: Type.Integer(),
    autoInstall: Type.Boolean(),
    pctComplete: orNull(Type.Number()),
    etaMs: orNull(Type.Integer()),
    message: orNull(Type.String()),
  }),
  () => ["report"],
);
const UpgradeRequested = defineEvent("UpgradeRequested", 1, { request: Type.String() });
const UpgradeRefused = defineEvent("UpgradeRefused", 1, {
  request: Type.String(),
  code: Type.String(),
  message: Type.String(),
});
const UpgradeLost = defineEvent("UpgradeLost", 1, { message: Type.String() });
const UpgradeRemoved = defineEvent("UpgradeRemoved", 1, {});

export type UpgradeRequested = EventOf<typeof UpgradeRequested>;
export type UpgradeEvent =
  | EventOf<typeof UpgradeReported>
  | UpgradeRequested
  | EventOf<typeof UpgradeRefused>
  | EventOf<typeof UpgradeLost>
  | EventOf<typeof UpgradeRemoved>;

const report = lazyValidator(UpgradeReport);

/** One instance per device whose adapter reports its firmware, with the device's id. */
export const upgrade: Decider<Upgrade, UpgradeCommand, UpgradeEvent> = {
  kind: "upgrade",
  commands: ["CMD_START_UPGRADE", "NOTE_UPGRADE", "NOTE_UPGRADE_REFUSED", "NOTE_UPGRADE_LOST"],
  events: [UpgradeReported, UpgradeRequested, UpgradeRefused, UpgradeLost, UpgradeRemoved],

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id } = command;
    switch (command.type) {
      case "CMD_START_UPGRADE":
        return start(state, id, world);
      case "NOTE_UPGRADE":
        return note(command, state);
      case "NOTE_UPGRADE_REFUSED": {
        const { request, code, message } = command;
        if (state?.requested !== request) return [];
        return [{ type: "UpgradeRefused", id, request, code, message } satisfies UpgradeEvent];
      }
      case "NOTE_UPGRADE_LOST":
        if (!isUnderWay(state)) return [];
        return [{ type: "UpgradeLost", id, message: command.message } satisfies UpgradeEvent];
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "UpgradeReported") return reported(event, state, timestamp);
    if (state === undefined || event.type === "UpgradeRemoved") return undefined;
    const { id, report: known } = state;
    switch (event.type) {
      case "UpgradeRequested":
        return { id, report: known, requested: event.request, refusal: null, heardAt: timestamp };
      case "UpgradeRefused":
        return { id, report: known, requested: null, refusal: event.message, heardAt: timestamp };
      case "UpgradeLost":
        return { id, report: known, requested: null, refusal: null, lost: event.message, heardAt: timestamp };
    }
  },
};

/** Returns whether an upgrade is requested or running, as far as is known. */
export function isUnderWay(state: Upgrade | undefined): state is Upgrade {
  if (state === undefined || state.lost !== undefined) return false;
  return state.requested !== null || (state.refusal === null && state.report.status === "INSTALLING");
}

/** Returns the UPGRADE_INFO of a device with UPGRADE; `state` is undefined when nothing is known of it. */
export function upgradeInfo(id: string, state: Upgrade | undefined): UpgradeInfo {
  if (state === undefined) return { type: "UPGRADE_INFO", id, status: "UNKNOWN", ...nothing, message: null };
  const { report: said, requested, refusal, lost } = state;
  const info = { type: "UPGRADE_INFO", id, ...said } as const;
  if (lost !== undefined) return { ...info, status: "FAILED", pctComplete: null, etaMs: null, message: lost };
  if (requested !== null) return { ...info, status: "REQUESTED", message: null };
  return refusal === null ? info : { ...info, status: "REFUSED", message: refusal };
}

/** Returns why a device cannot be upgraded; undefined when it can. */
export function upgradeProblem({ capabilities }: Pick<Device, "capabilities">): string | undefined {
  return capabilities.values.includes("UPGRADE") ? undefined : "the device has no UPGRADE";
}

const nothing = {
  fwVersion: null,
  swVersion: null,
  newFwVersion: null,
  newSwVersion: null,
  lastUpgrade: 0,
  autoInstall: false,
  pctComplete: null,
  etaMs: null,
} as const;

function start(state: Upgrade | undefined, id: string, world: World): Decision<UpgradeEvent> {
  const device = world.get("device", id);
  if (device === undefined) return reject("not-found", `no device ${id}`, "id");
  const problem = upgradeProblem(device);
  if (problem !== undefined) return reject("invalid", problem, "id");
  const { status } = upgradeInfo(id, state);
  if (status === "UNKNOWN" || status === "UP_TO_DATE") {
    return reject("wrong-state", "there is nothing to install", "id");
  }
  if (status === "REQUESTED" || status === "INSTALLING") {
    return reject("wrong-state", "an upgrade is under way", "id");
  }
  return [{ type: "UpgradeRequested", id, request: world.newId() }];
}

function note(
  { id, upgrade: said }: Extract<UpgradeCommand, { type: "NOTE_UPGRADE" }>,
  state: Upgrade | undefined,
): Decision<UpgradeEvent> {
  if (said === null) return state === undefined ? [] : [{ type: "UpgradeRemoved", id }];
  if (!report.Check(said)) {
    const [error] = report.Errors(said);
    return reject("invalid", `invalid upgrade: ${error?.instancePath} ${error?.message}`, "upgrade");
  }
  const event = { ...reportOf(said), type: "UpgradeReported", id } as const;
  const isKnown = JSON.stringify(reportOf(event)) === JSON.stringify(state?.report);
  // A lost upgrade continues after all.
  const isBack = state?.lost !== undefined && said.status === "INSTALLING";
  if (isKnown && !isBack) return [];
  const isBrokenOff = isUnderWay(state) && state.requested === null && said.status === "AVAILABLE";
  return isBrokenOff ? [event, { type: "UpgradeLost", id, message: "it was broken off" }] : [event];
}

/**
 * Any new report ends a request: either the upgrade has begun, or there is something else to request. A
 * report that an upgrade is available does not end the loss of an installation.
 */
function reported(
  event: EventOf<typeof UpgradeReported>,
  before: Upgrade | undefined,
  timestamp: number,
): Upgrade {
  const said = reportOf(event);
  const lost = said.status === "AVAILABLE" && before?.lost !== undefined ? { lost: before.lost } : {};
  return { id: event.id, report: said, requested: null, refusal: null, ...lost, heardAt: timestamp };
}

function reportOf(said: Omit<UpgradeReport, "status"> & { status: string }): UpgradeReport {
  const { fwVersion, swVersion, newFwVersion, newSwVersion, lastUpgrade, autoInstall } = said;
  const { pctComplete, etaMs, message } = said;
  const versions = { fwVersion, swVersion, newFwVersion, newSwVersion, lastUpgrade, autoInstall };
  return { status: said.status as UpgradeReport["status"], ...versions, pctComplete, etaMs, message };
}
