import type { Row } from "../row.ts";
import { alarms } from "./alarms.ts";
import { audit } from "./audit.ts";
import { autoconfigRuns } from "./autoconfig.ts";
import { backups } from "./backups.ts";
import { bacnet } from "./bacnet.ts";
import { configuration } from "./configuration.ts";
import { deviceHistory } from "./device-history.ts";
import { deviceNetwork } from "./device-network.ts";
import { devices } from "./devices.ts";
import { events } from "./events.ts";
import { execute } from "./execute.ts";
import { featureSwitchRows } from "./feature-switches.ts";
import { groups } from "./groups.ts";
import { hub } from "./hub.ts";
import { hubHealth } from "./hub-health.ts";
import { hubUpdate } from "./hub-update.ts";
import { keys } from "./keys.ts";
import { location } from "./location.ts";
import { sharing } from "./sharing.ts";
import { logins } from "./logins.ts";
import { log } from "./log.ts";
import { messageTargets } from "./message-targets.ts";
import { mqttSettings } from "./mqtt-settings.ts";
import { notifications } from "./notifications.ts";
import { preferences } from "./preferences.ts";
import { prices } from "./prices.ts";
import { rooms } from "./rooms.ts";
import { root } from "./root.ts";
import { ruleDiagram } from "./rule-diagram.ts";
import { rules } from "./rules.ts";
import { sceneOutcome, scenes } from "./scenes.ts";
import { sticks } from "./sticks.ts";
import { timeline } from "./timeline.ts";
import { undo } from "./undo.ts";
import { users } from "./users.ts";
import { web } from "./web.ts";
import { whatIf } from "./what-if.ts";
import { why } from "./why.ts";
import { zigbeeImport } from "./zigbee-import.ts";
import { zigbeeMap } from "./zigbee-map.ts";
import { zones } from "./zones.ts";

const changing: readonly Row[] = [
  ...hub,
  ...devices,
  ...configuration,
  ...groups,
  ...rules,
  ...scenes,
  ...rooms,
  ...alarms,
  ...bacnet,
  log,
  ...location,
  hubHealth,
  ...backups,
  ...hubUpdate,
  ...sharing,
  ...featureSwitchRows,
  ...messageTargets,
  ...mqttSettings,
  ...autoconfigRuns,
  ...sticks,
  ...notifications,
  ...prices,
  ...zigbeeMap,
  ...zigbeeImport,
  ...users,
  ...preferences,
  ...logins,
  ...keys,
  ...deviceHistory,
  ...execute,
  deviceNetwork,
  ...sceneOutcome,
  ...zones,
  ...whatIf,
  why,
  timeline,
  ...ruleDiagram,
  ...events,
  ...root,
  ...web,
];

/** Every endpoint: the spec's in the order of its tables, then what is added to them. */
export const rows: readonly Row[] = [...changing, undo(changing), audit];
