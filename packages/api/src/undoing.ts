import type { Kernel } from "@ledge/kernel";
import {
  type Command,
  isLocked,
  restoreCommand,
  type RestorableKind,
  type RuleState,
  ruleTimerOf,
  type Settings,
  settingsOf,
} from "@ledge/model";
import { admitsCommand, rowMask } from "./access.ts";
import type { Listener } from "./listener.ts";
import type { UndoQuestion } from "./past-questions.ts";
import { forbidden, Refused } from "./refused.ts";
import { type Row, rowName } from "./row.ts";

type AnyCommand = Command & Readonly<Record<string, unknown>>;

/** What the settings of an object were. */
export interface UndoFound {
  /** The commit (ms) whose change is taken back, or the time that was asked for. */
  readonly timestamp: number;
  /** Null: there was no such object. */
  readonly before: Settings | null;
  /** As the log has them now. */
  readonly now: Settings | null;
  /** Whether a rule was on by hand. */
  readonly isOn: boolean;
  /** Ids of what stood in a room, or was in a zone, that is gone. */
  readonly devices: readonly string[];
  readonly groups: readonly string[];
}

/** One command that puts something back, and the row by which clients would send it. */
interface Step {
  readonly row: string;
  readonly command: AnyCommand;
  /** What the access of a command goes by, where that is another. */
  readonly as?: AnyCommand;
}

/** The row by which clients change settings of a kind, and that by which they remove such an object. */
const rowsOf: Readonly<Record<RestorableKind, { readonly edit: string; readonly remove?: string }>> = {
  room: { edit: "PUT /rooms", remove: "DELETE /rooms" },
  zone: { edit: "PUT /zones", remove: "DELETE /zones" },
  group: { edit: "PUT /groups", remove: "DELETE /groups" },
  scene: { edit: "PUT /scenes", remove: "DELETE /scenes" },
  rule: { edit: "PUT /rules", remove: "DELETE /rules" },
  device: { edit: "PUT /devices" },
  configuration: { edit: "PUT /devices/configuration" },
  hub: { edit: "PUT /hub/name" },
};

/** Which rows a caller may call. */
export interface Rights {
  readonly rows: readonly Row[];
  readonly role: number;
  readonly listener: Listener;
}

/** Whether somebody may change objects of a kind at all. */
export function mayEdit(kind: RestorableKind, rights: Rights): Refused | undefined {
  return refusal({ row: rowsOf[kind].edit, command: { type: "" } }, rights);
}

/**
 * The commands that make an object what it was, all of them or none; or why that does not fit any more, or is not the
 * caller's to do.
 */
export function undoing(
  { kind, id }: UndoQuestion,
  found: UndoFound,
  kernel: Pick<Kernel, "get">,
  rights: Rights,
): readonly AnyCommand[] | Refused {
  const now = settingsOf(kind, kernel.get(kind, id));
  if (JSON.stringify(now) !== JSON.stringify(found.now))
    return new Refused(422, `${kind} ${id} has just changed: ask again`);
  const steps = stepsTo(kind, id, found, now, kernel);
  if (steps instanceof Refused) return steps;
  for (const step of steps) {
    const refused = refusal(step, rights);
    if (refused !== undefined) return refused;
  }
  return steps.map(({ command }) => command);
}

function refusal({ row: name, command, as = command }: Step, rights: Rights): Refused | undefined {
  const { rows, role, listener } = rights;
  const row = rows.find((one) => rowName(one) === name);
  const isAdmitted = row !== undefined && (role & rowMask(row, listener)) !== 0;
  if (isAdmitted && admitsCommand(as.type, as, role)) return undefined;
  return forbidden(`this takes the right to ${name}`);
}

function stepsTo(
  kind: RestorableKind,
  id: string,
  found: UndoFound,
  now: Settings | null,
  kernel: Pick<Kernel, "get">,
): readonly Step[] | Refused {
  const { before } = found;
  const { edit, remove } = rowsOf[kind];
  if (before === null && now === null) return [];
  if (before === null)
    return remove === undefined
      ? new Refused(422, `${kind} ${id} came into being then, which is not taken back here`)
      : [{ row: remove, command: { type: `REMOVE_${kind.toUpperCase()}`, id } }];
  if (now !== null) {
    const changed = changedIn(before, now);
    return Object.keys(changed).length === 0 ? [] : editing(kind, id, before, changed, edit);
  }
  const type = restoreCommand(kind);
  if (type === undefined) return new Refused(422, `${kind} ${id} is gone: pair it again`);
  const as = creating(kind, before);
  return [
    { row: edit, command: { type, id, as }, as },
    ...(kind === "rule" && found.isOn ? [{ row: "PUT /rules/command", command: turningOn(id) }] : []),
    ...comingBack(kind, id, found, kernel),
  ];
}

const turningOn = (id: string): AnyCommand => ({ type: "RULE_ON_COMMAND", id });

function changedIn(before: Settings, now: Settings): Settings {
  return Object.fromEntries(
    Object.entries(before).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(now[field])),
  );
}

/** What creates an object with some settings. */
function creating(kind: RestorableKind, before: Settings): AnyCommand {
  if (kind === "rule") return settingRule(null, before);
  return { type: `CMD_${kind.toUpperCase()}`, ...before };
}

function settingRule(id: string | null, before: Settings): AnyCommand {
  const { config, scenes, timers } = before as Pick<RuleState, "config" | "scenes" | "timers">;
  return { type: "SET_RULE", config: { ...config, id }, on: { scenes, timers: timers.map(ruleTimerOf) } };
}

/** What makes the settings of an object that is there what they were. */
function editing(
  kind: RestorableKind,
  id: string,
  before: Settings,
  changed: Settings,
  row: string,
): readonly Step[] {
  if (kind === "rule") return [{ row, command: settingRule(id, before) }];
  if (kind === "hub") return hubSteps(id, changed);
  if (kind === "configuration") {
    return [{ row, command: { type: "CONFIGURATION", id, parameters: before["values"] } }];
  }
  if (kind !== "device") return [{ row, command: { type: `CMD_${kind.toUpperCase()}`, id, ...changed } }];
  const { rwx, hotWater, ...others } = changed;
  // That nobody has said it yet cannot be said again.
  const meta = "hotWater" in changed ? { ...others, hotWater: hotWater ?? false } : others;
  const locked = isLocked({ rwx: Number(before["rwx"]) });
  return [
    { row, command: { type: "CMD_DEVICE_META", id, ...meta } },
    ...(rwx === undefined ? [] : [{ row, command: { type: "CMD_DEVICE_LOCK", id, locked } }]),
    // Another right than that of locked devices is said by itself.
    ...(rwx === undefined || locked ? [] : [{ row, command: { type: "CMD_DEVICE_ACCESS", id, rwx } }]),
  ];
}

function hubSteps(id: string, { name, housetype, timezone, location }: Settings): readonly Step[] {
  const place = location ?? { latitude: null, longitude: null };
  return [
    ...(name === undefined ? [] : [{ row: "PUT /hub/name", command: { type: "RENAME_HUB", id, name } }]),
    ...(housetype === undefined
      ? []
      : [{ row: "PUT /hub/housetype", command: { type: "SET_HOUSE_TYPE", id, housetype } }]),
    ...(timezone === undefined
      ? []
      : [{ row: "PUT /hub/tz", command: { type: "SET_TIMEZONE", id, timezone } }]),
    ...(location === undefined
      ? []
      : [{ row: "PUT /hub/location", command: { type: "SET_LOCATION", id, ...place } }]),
  ];
}

/** What stood in a room comes back into it, unless it is gone or stands elsewhere; and so with zones. */
function comingBack(
  kind: RestorableKind,
  id: string,
  { devices, groups }: UndoFound,
  kernel: Pick<Kernel, "get">,
): readonly Step[] {
  if (kind === "zone") {
    return devices.flatMap((device): Step[] => {
      const zones = kernel.get("device", device)?.zones;
      if (zones === undefined) return [];
      return [
        {
          row: "PUT /devices",
          command: { type: "CMD_DEVICE_META", id: device, zones: [...zones, id] },
        },
      ];
    });
  }
  const isFree = (of: "device" | "group", member: string): boolean =>
    kernel.get(of, member)?.room.length === 0;
  return [
    ...devices
      .filter((device) => isFree("device", device))
      .map((device) => ({
        row: "PUT /devices",
        command: { type: "CMD_DEVICE_META", id: device, room: [id] },
      })),
    ...groups
      .filter((group) => isFree("group", group))
      .map((group) => ({ row: "PUT /groups", command: { type: "CMD_GROUP", id: group, room: [id] } })),
  ];
}
