import { backupCommand } from "@ledge/host/cli/backup";
import type { CliCommand } from "@ledge/host/cli/command";
import { restoreCommand } from "@ledge/host/cli/restore";
import { verifyCommand } from "@ledge/host/cli/verify";
import { cloudSubject } from "../folder/backup-subject.ts";
import { clients, clientsCreate, clientsDelete, clientsRotate } from "./clients.ts";
import { egress, egressDeadLetters, egressReplay } from "./egress.ts";
import { featureCode, hubs, hubsRelease, hubsRemove } from "./hubs.ts";
import { importCommand } from "./import.ts";
import { keys, keysRotate, keysWithdraw } from "./keys.ts";
import { registers, registersShow, share, shareShow } from "./registers.ts";
import { status } from "./status.ts";
import { sites, tenants, tenantsCreate } from "./tenants.ts";
import { sessions, sessionsEnd, users, usersForget } from "./users.ts";

/** Every command of `ledge-cloud`, in help order. */
export const commands: readonly CliCommand[] = [
  status,
  users,
  usersForget,
  sessions,
  sessionsEnd,
  hubs,
  hubsRelease,
  hubsRemove,
  featureCode,
  tenants,
  tenantsCreate,
  sites,
  registers,
  registersShow,
  share,
  shareShow,
  clients,
  clientsCreate,
  clientsRotate,
  clientsDelete,
  egress,
  egressDeadLetters,
  egressReplay,
  keys,
  keysRotate,
  keysWithdraw,
  backupCommand(cloudSubject, "/console/backup"),
  verifyCommand(cloudSubject),
  restoreCommand(cloudSubject),
  importCommand,
];
