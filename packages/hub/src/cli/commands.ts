import { backupCommand } from "@ledge/host/cli/backup";
import { at } from "./at.ts";
import { audit } from "./audit.ts";
import { bisect } from "./bisect.ts";
import { claimOpen } from "./claim.ts";
import type { CliCommand } from "@ledge/host/cli/command";
import { devices } from "./devices.ts";
import { doctor } from "./doctor.ts";
import { factoryReset } from "./factory-reset.ts";
import { eventsShow, eventsTail } from "./events.ts";
import { history } from "./history.ts";
import { identity } from "./identity.ts";
import { importZigbee2mqtt } from "./import.ts";
import { ownerTransfer } from "./owner.ts";
import { loginApprove } from "./login.ts";
import { key } from "./key.ts";
import { radios } from "./radios.ts";
import { replay } from "./replay.ts";
import { restoreCommand } from "@ledge/host/cli/restore";
import { ruleExport, ruleInstall, ruleLint, ruleTest } from "./rule.ts";
import { share } from "./share.ts";
import { status } from "./status.ts";
import { updateCheck, updateInstall, updateRollback, updateStatus } from "./update.ts";
import { undo } from "./undo.ts";
import { userForget } from "./user.ts";
import { verifyCommand } from "@ledge/host/cli/verify";
import { hubSubject } from "../backup/subject.ts";
import { apiPrefix } from "../version.ts";
import { why } from "./why.ts";
import { zigbeeBackup, zigbeeRestore } from "./zigbee.ts";

/** Every command of `ledge`, in the order of its help. */
export const commands: readonly CliCommand[] = [
  status,
  devices,
  radios,
  importZigbee2mqtt,
  zigbeeBackup,
  zigbeeRestore,
  eventsTail,
  eventsShow,
  why,
  at,
  undo,
  audit,
  bisect,
  history,
  replay,
  ruleLint,
  ruleTest,
  ruleInstall,
  ruleExport,
  key,
  claimOpen,
  loginApprove,
  identity,
  ownerTransfer,
  share,
  userForget,
  backupCommand(hubSubject, `${apiPrefix}/console/backup`),
  verifyCommand(hubSubject),
  restoreCommand(hubSubject),
  updateStatus,
  updateCheck,
  updateInstall,
  updateRollback,
  doctor,
  factoryReset,
];
