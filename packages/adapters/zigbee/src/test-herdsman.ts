import { join } from "node:path";
import { Controller, setLogger } from "zigbee-herdsman";
import { endTimers } from "./library-inside.ts";

const quiet = (): void => {};
setLogger({ debug: quiet, info: quiet, warning: quiet, error: quiet });

export const networkKey = Array.from({ length: 16 }, (_, index) => index * 7 + 1);

/**
 * The library as it is, with a network of its own on channel 15.
 * @param folder for its database and its backup
 */
export function herdsmanAt(path: string, folder: string, transmitPower?: number): Controller {
  return new Controller({
    network: {
      panID: 0x1a63,
      extendedPanID: [1, 2, 3, 4, 5, 6, 7, 8],
      channelList: [15],
      networkKey,
      networkKeyDistribute: false,
    },
    serialPort: { path, adapter: "zstack" },
    databasePath: join(folder, "devices.db"),
    databaseBackupPath: join(folder, "devices.db.old"),
    backupPath: join(folder, "backup.json"),
    acceptJoiningDeviceHandler: () => Promise.resolve(true),
    adapter: { disableLED: false, ...(transmitPower === undefined ? {} : { transmitPower }) },
  });
}

/** Has a device join, and waits for the end of its interview. @returns how that ended. */
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
 * Stops it and what it would still do in a minute: after a sleeping device has announced itself it keeps a timer
 * that nothing else ends, and a process does not end before that.
 */
export async function stopHerdsman(controller: Controller): Promise<void> {
  await controller.stop();
  endTimers(controller);
}
