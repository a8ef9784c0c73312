import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Console, socketConsole } from "@ledge/host/cli/client";
import { CliError, exitCodes } from "@ledge/host/cli/command";
import { createLogger } from "@ledge/host/logger";
import { finishReplacement } from "@ledge/host/replace-folder";
import { systemClock } from "@ledge/kernel";
import { createConsole } from "../console/console.ts";
import { issuerOf } from "../folder/folder.ts";
import { LanAddresses } from "../http/lan-addresses.ts";
import { Bearers } from "../oauth/bearers.ts";
import { namesAt } from "../oauth/names.ts";
import { CloudMail } from "../mail/cloud-mail.ts";
import { folderMailer } from "../mail/folder-mailer.ts";
import { occupyFolder } from "../folder/occupy.ts";
import { release } from "../version.ts";

/**
 * Returns the console of a stopped cloud: opens its folder while the command runs, without serving anything
 * else.
 * @throws CliError when the folder holds no cloud, LockedError when a cloud has just started, or the reason
 * why it cannot open
 */
export async function openStoppedCloud(folder: string): Promise<Console> {
  finishReplacement(folder);
  const issuer = issuerOf(folder);
  if (issuer === undefined)
    throw new CliError(exitCodes.unavailable, `no cloud has run on ${folder} yet: start one first`);
  const logger = createLogger("error");
  const clock = systemClock;
  const occupation = await occupyFolder(
    {
      folder,
      issuer,
      clock,
      newId: randomUUID,
      random: randomBytes,
      logger,
      onFatal: (error) => {
        throw error;
      },
      release,
    },
    (cloud) => {
      const mail = new CloudMail(
        folderMailer(join(folder, "mail"), () => clock.wall()),
        () => "",
        logger,
        clock,
      );
      // Nobody calls the platform of a stopped cloud.
      const bearers = new Bearers(cloud, () => namesAt("http://localhost"));
      const services = { cloud, mail, bearers, lan: new LanAddresses(), clock, logger };
      return createConsole(services, {
        folder,
        release,
        address: null,
        certificate: () => null,
        relay: undefined,
        renderMetrics: undefined,
      });
    },
  );
  return { ...socketConsole(folder), close: () => occupation.release() };
}
