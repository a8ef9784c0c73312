import type { Reaction } from "@ledge/model";
import { adapterAlarms, hubAlarms, keyAlarm } from "./alarms.ts";
import { failedCommands, goneSources, incompleteScenes, oldAlerts } from "./alerts.ts";
import { groupMembership, removedMembers } from "./groups.ts";
import { keyAlerts, keysOfRevoked } from "./local-keys.ts";
import { alarmMessages, senderTimers, targetsOfRevoked, unsentMessages } from "./messages.ts";
import { roomReferences } from "./rooms.ts";
import { removedTargets, sceneActivation } from "./scenes.ts";
import { pairedDuringScan, scanTimeout } from "./scan.ts";
import { awayDevices } from "./away.ts";
import { deviceCertificate } from "./device-certificate.ts";
import { adapterReach, deviceReach, hiddenReach, lastingAbsence } from "./unreachable.ts";
import { lostUpgrades, removedUpkeep, silentUpgrade, upgradeWatch } from "./upkeep.ts";
import { zoneReferences } from "./zones.ts";

/** Every reaction of the hub, in the order in which they run. */
export const reactions: readonly Reaction[] = [
  roomReferences,
  zoneReferences,
  groupMembership,
  removedMembers,
  removedTargets,
  removedUpkeep,
  upgradeWatch,
  silentUpgrade,
  lostUpgrades,
  sceneActivation,
  incompleteScenes,
  failedCommands,
  goneSources,
  oldAlerts,
  adapterAlarms,
  scanTimeout,
  pairedDuringScan,
  hubAlarms,
  keyAlarm,
  keyAlerts,
  keysOfRevoked,
  awayDevices,
  deviceReach,
  lastingAbsence,
  adapterReach,
  hiddenReach,
  deviceCertificate,
  senderTimers,
  unsentMessages,
  alarmMessages,
  targetsOfRevoked,
];
