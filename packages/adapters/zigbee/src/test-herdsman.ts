import { join } from "node:path";
import type { CoordinatorStick, ServedStick } from "@ledge/testkit/zigbee";
import { Controller, setLogger } from "zigbee-herdsman";
import { endTimers } from "./library-inside.ts";

const quiet = (): void => {};
setLogger({ debug: quiet, info: quiet, warning: quiet, error: quiet });

export const networkKey = Array.from({ length: 16 }, (_, index) => index * 7 + 1);

/**
 * Returns the library with its own network on channel 15.
 * @param folder for its database and its backup
 */
export function herdsmanAt(
  { path, stick }: Pick<ServedStick<CoordinatorStick>, "path" | "stick">,
  folder: string,
  transmitPower?: number,
): Controller {
  return new Controller({
    network: {
      panID: 0x1a63,
      extendedPanID: [1, 2, 3, 4, 5, 6, 7, 8],
      channelList: [15],
      networkKey,
      networkKeyDistribute: false,
    },
    serialPort: { path, adapter: stick.kind },
    databasePath: join(folder, "devices.db"),
    databaseBackupPath: join(folder, "devices.db.old"),
    backupPath: join(folder, "backup.json"),
    acceptJoiningDeviceHandler: () => Promise.resolve(true),
    adapter: { disableLED: false, ...(transmitPower === undefined ? {} : { transmitPower }) },
  });
}

/**
 * Lets a device join and waits for the end of its interview.
 * @returns the status of the interview.
 */
export async function joined(controller: Controller, tryToJoin: () => boolean): Promise<string> {
  await controller.permitJoin(60);
  const ended = Promise.withResolvers<string>();
  const listener = ({ status }: { status: string }): void => {
    if (status !== "started") ended.resolve(status);
  };
  controller.on("deviceInterview", listener);
  try {
    if (!tryToJoin()) throw new Error("it could not join");
    return await ended.promise;
  } finally {
    controller.off("deviceInterview", listener);
    await controller.permitJoin(0);
  }
}

/**
 * Stops a controller and its remaining timers: after the announcement of a sleeping device it keeps a timer
 * that nothing else ends, and that would keep the process alive.
 */
export async function stopHerdsman(controller: Controller): Promise<void> {
  await controller.stop();
  endTimers(controller);
}
