import type { Alert, Command, CommandFailed, Reaction } from "@ledge/model";
import { alertOfTimer, alertsAbout, presetFailure } from "@ledge/model";

const clear = ({ id }: Pick<Alert, "id">): Command => ({ type: "CLEAR_ALERT", id }) as Command;

/** Raises an alert when a device fails its preset, until the scene is turned on or off again. */
export const incompleteScenes: Reaction = {
  name: "incomplete scenes",
  on: ["PresetFailed", "PresetsApplied", "SceneTurnedOff"],
  react({ type, id }, read) {
    if (type !== "PresetFailed") return alertsAbout(id, read, "SCENE_INCOMPLETE").map(clear);
    const parameters = { name: read.get("scene", id)?.name ?? "" };
    const about = { msg_id: "SCENE_INCOMPLETE", parameters, sourceId: id };
    return [{ type: "RAISE_ALERT", ...about, error: true, userId: null } as Command];
  },
};

/**
 * Raises an alert when a device fails a command, until it follows one. For presets the scene's alert stands
 * instead.
 */
export const failedCommands: Reaction = {
  name: "failed commands",
  on: ["CommandFailed", "CommandExpired", "CommandSucceeded"],
  react(event, world) {
    const { id: command, device: id } = event as CommandFailed;
    const device = world.get("device", id);
    if (event.type === "CommandSucceeded") return alertsAbout(id, world, "COMMAND_FAILED").map(clear);
    const scene = world.before.get("command", command)?.scene;
    const failure = { device: id, command, code: "", message: "" };
    if (device === undefined || presetFailure(scene, failure, world.before).length > 0) return [];
    const about = { msg_id: "COMMAND_FAILED", parameters: { name: device.name }, sourceId: id };
    const hidden = !device.visible;
    return [{ type: "RAISE_ALERT", ...about, error: true, userId: null, hidden } as Command];
  },
};

/** Ends the alerts about a removed source. */
export const goneSources: Reaction = {
  name: "gone sources",
  on: ["DeviceRemoved", "SceneRemoved", "RuleRemoved"],
  react: ({ id }, read) => alertsAbout(id, read).map(clear),
};

/** Ends an alert after a week. */
export const oldAlerts: Reaction = {
  name: "old alerts",
  on: ["TimerFired"],
  react({ id: timer }) {
    const id = alertOfTimer(timer);
    return id === undefined ? [] : [clear({ id })];
  },
};
