import type { AutoConfig, Command, ConfiguredChange, RuleState } from "@ledge/model";
import { ruleTimerOf, unlockedRwx } from "@ledge/model";

type AnyCommand = Command & Readonly<Record<string, unknown>>;

/**
 * What takes a run back, in one submission: the run says first whether that still fits, and brings back the rooms
 * that were removed. What was made goes after what refers to it.
 */
export function undoing({ id, changes }: AutoConfig): readonly AnyCommand[] {
  const made = (kind: ConfiguredChange["kind"]): readonly ConfiguredChange[] =>
    changes.filter((change) => change.kind === kind && change.before === null && change.after !== null);
  return [
    { type: "UNDO_AUTO_CONFIG", id },
    ...changes.flatMap(restoring),
    ...made("rule").map((change) => ({ type: "REMOVE_RULE", id: change.id })),
    ...made("scene").map((change) => ({ type: "REMOVE_SCENE", id: change.id })),
    ...made("device").flatMap((change) => [
      ...(isLocked(change.after) ? [{ type: "CMD_DEVICE_LOCK", id: change.id, locked: false }] : []),
      { type: "REMOVE_DEVICE", id: change.id },
    ]),
    ...made("room").map((change) => ({ type: "REMOVE_ROOM", id: change.id })),
  ];
}

/** Whether taking a run back changes who may see devices or configure them: the owner's to say. */
export function changesRights({ changes }: AutoConfig): boolean {
  return changes.some(({ kind, before, after }) => {
    if (kind !== "device") return false;
    const [was, is] = [before ?? { visible: true, rwx: unlockedRwx }, after ?? {}];
    return after !== null && (was["visible"] !== is["visible"] || isLocked(was) !== isLocked(is));
  });
}

function isLocked(device: ConfiguredChange["before"]): boolean {
  return device?.["rwx"] !== undefined && device["rwx"] !== unlockedRwx;
}

/** What makes an object that was there what it was. */
function restoring({ kind, id, before, after }: ConfiguredChange): readonly AnyCommand[] {
  if (before === null || after === null) return [];
  switch (kind) {
    case "hub":
      return [{ type: "RENAME_HUB", id, name: before["name"] }];
    case "room":
      return [{ type: "CMD_ROOM", id, ...before }];
    case "group":
      return [{ type: "CMD_GROUP", id, ...before }];
    case "device": {
      const { name, room, zones, visible } = before;
      const hotWater = before["hotWater"] ?? (after["hotWater"] === undefined ? null : false);
      return [
        { type: "CMD_DEVICE_META", id, name, room, zones, visible, hotWater, locked: isLocked(before) },
      ];
    }
    case "scene": {
      const { isOn, ...fields } = before;
      return [{ type: "CMD_SCENE", id, ...fields, ...(isOn !== after["isOn"] && { isOn }) }];
    }
    case "rule": {
      const { config, scenes, timers } = before as Pick<RuleState, "config" | "scenes" | "timers">;
      const on = { scenes, timers: timers.map(ruleTimerOf) };
      return [{ type: "SET_RULE", config: { ...config, id }, on }];
    }
  }
}
