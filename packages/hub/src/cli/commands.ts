import { backup } from "./backup.ts";
import { claimOpen } from "./claim.ts";
import type { CliCommand } from "./command.ts";
import { devices } from "./devices.ts";
import { doctor } from "./doctor.ts";
import { factoryReset } from "./factory-reset.ts";
import { featureCode } from "./feature-code.ts";
import { eventsShow, eventsTail } from "./events.ts";
import { ownerTransfer } from "./owner.ts";
import { key } from "./key.ts";
import { restore } from "./restore.ts";
import { status } from "./status.ts";
import { userForget } from "./user.ts";
import { verify } from "./verify.ts";

/** Every command of `ledge`, in the order of its help. */
export const commands: readonly CliCommand[] = [
  status,
  devices,
  eventsTail,
  eventsShow,
  key,
  featureCode,
  claimOpen,
  ownerTransfer,
  userForget,
  backup,
  verify,
  restore,
  doctor,
  factoryReset,
];
