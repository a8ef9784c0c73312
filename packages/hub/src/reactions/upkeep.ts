import type { AdapterFailed, Command, LoggedEvent, Reaction, World } from "@ledge/model";
import { alertsAbout, isUnderWay, limits, upgradeInfo } from "@ledge/model";

/** Removes the settings and firmware state of a removed device. */
export const removedUpkeep: Reaction = {
  name: "removed upkeep",
  on: ["DeviceRemoved"],
  react: ({ id }, read) => {
    const commands: object[] = [];
    if (read.get("configuration", id) !== undefined)
      commands.push({ type: "DESCRIBE_CONFIGURATION", id, items: null, values: {} });
    if (read.get("upgrade", id) !== undefined) commands.push({ type: "NOTE_UPGRADE", id, upgrade: null });
    return commands as Command[];
  },
};

const timerPrefix = "upgrade:";

/** Watches an upgrade for as long as there is news of it, and raises an alert when it fails. */
export const upgradeWatch: Reaction = {
  name: "upgrade watch",
  on: ["UpgradeRequested", "UpgradeReported", "UpgradeRefused", "UpgradeLost", "UpgradeRemoved"],
  react({ id }, world) {
    const state = world.get("upgrade", id);
    const timer = timerPrefix + id;
    const isWatched = world.get("timer", timer) !== undefined;
    const commands: Command[] = [];
    if (isUnderWay(state)) {
      if (!isWatched) commands.push(watching(id, limits.upgradeSilentMs));
    } else if (isWatched) commands.push({ type: "CANCEL_TIMER", id: timer } as Command);
    return [...commands, ...told(id, world)];
  },
};

/** Fails an upgrade without news for too long. */
export const silentUpgrade: Reaction = {
  name: "silent upgrade",
  on: ["TimerFired"],
  react({ id: timer }, world) {
    if (!timer.startsWith(timerPrefix)) return [];
    const id = timer.slice(timerPrefix.length);
    const state = world.get("upgrade", id);
    if (!isUnderWay(state)) return [];
    const left = (state.heardAt ?? 0) + limits.upgradeSilentMs - world.now;
    const minutes = limits.upgradeSilentMs / 60_000;
    return [left > 0 ? watching(id, left) : lost(id, `nothing was heard of it for ${minutes} minutes`)];
  },
};

/**
 * Fails the upgrades of an adapter that went down, because nobody follows them. A device that continues reports
 * it.
 */
export const lostUpgrades: Reaction = {
  name: "lost upgrades",
  on: ["AdapterFailed", "AdapterRested", "AdapterStopped", "AdapterAway"],
  react(event, world) {
    const { id: protocol } = event as LoggedEvent<AdapterFailed>;
    return [...world.all("upgrade")].flatMap(([id, state]) =>
      isUnderWay(state) && world.get("binding", id)?.protocol === protocol
        ? [lost(id, "its adapter went down")]
        : [],
    );
  },
};

function told(id: string, world: World): readonly Command[] {
  const { status } = upgradeInfo(id, world.get("upgrade", id));
  const alerts = alertsAbout(id, world, "UPGRADE_FAILED");
  if (status === "AVAILABLE") return [];
  if (status !== "FAILED") return alerts.map((alert) => ({ type: "CLEAR_ALERT", id: alert.id }) as Command);
  const device = world.get("device", id);
  const before = world.before.get("upgrade", id);
  const wasAwaited = before?.report.status === "REQUESTED" || isUnderWay(before);
  // A first report about an older upgrade is not a failure of now.
  if (device === undefined || !wasAwaited) return [];
  const about = { msg_id: "UPGRADE_FAILED", parameters: { name: device.name }, sourceId: id };
  return [{ type: "RAISE_ALERT", ...about, error: true, userId: null, hidden: !device.visible } as Command];
}

function watching(id: string, durationMs: number): Command {
  return { type: "SET_TIMER", id: timerPrefix + id, durationMs, late: "recheck" } as Command;
}

function lost(id: string, message: string): Command {
  return { type: "NOTE_UPGRADE_LOST", id, message } as Command;
}
