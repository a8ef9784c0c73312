import type { AdapterLog } from "@ledge/port";
import type { Controller, Events, Models } from "zigbee-herdsman";
import { withoutInvalid } from "./invalid-values.ts";
import { addressesIn, insideOf } from "./library-inside.ts";

/** Receives the events of the library. */
export interface Followers {
  /** A frame of the device has arrived, whatever its content. */
  heard(device: Models.Device): void;
  said(arrival: Events.MessagePayload): unknown;
  joined(device: Models.Device): Promise<void>;
  /** A device of the library's table has joined again. */
  rejoined(device: Models.Device): void;
  /** @param isDone false: the interview has failed. */
  interviewed(device: Models.Device, isDone: boolean): Promise<void>;
  /** The device has announced itself, as devices do after a power-up or a change of address. */
  announced(device: Models.Device): Promise<void>;
  left(ieee: string): void;
  /** A frame has arrived from an address that the library does not know. */
  heardFrom(networkAddress: number): Promise<void>;
  /** A device that the library does not know has told its addresses. */
  stranger(ieee: string, networkAddress: number): Promise<void>;
}

/** ZDO clusters with the sender's addresses: device announcements, and the responses to address requests. */
const introductions: ReadonlySet<number> = new Set([0x0013, 0x8000, 0x8001]);

/** Wraps a handler of an event. */
type Guard = <T extends readonly unknown[]>(take: (...event: T) => unknown) => (...event: T) => void;

/**
 * Attaches followers to a controller. An error of a follower is logged and stops nothing.
 * @param isCurrent false: the controller is no longer in use, and its events are ignored.
 */
export function follow(
  controller: Controller,
  log: AdapterLog,
  isCurrent: () => boolean,
  followers: Followers,
): void {
  const guarded: Guard =
    (take) =>
    (...event) => {
      if (isCurrent())
        void (async () => take(...event))().catch((error: unknown) => {
          const { message, stack = "" } = error as Error;
          log("error", `could not process a message of a device: ${message}`, { stack });
        });
    };
  /** The device of the last `deviceJoined`: events in the same turn belong to the same join. */
  let newcomer: Models.Device | undefined;
  controller.on(
    "deviceJoined",
    guarded(({ device }) => {
      newcomer = device;
      return followers.joined(device);
    }),
  );
  controller.on(
    "lastSeenChanged",
    guarded(({ device, reason }) => {
      const isNew = newcomer === device;
      newcomer = undefined;
      followers.heard(device);
      if (reason === "deviceJoined" && !isNew) followers.rejoined(device);
    }),
  );
  controller.on(
    "deviceInterview",
    guarded(async ({ device, status }) => {
      if (status !== "started") await followers.interviewed(device, status === "successful");
    }),
  );
  controller.on(
    "deviceAnnounce",
    guarded(({ device }) => followers.announced(device)),
  );
  controller.on(
    "deviceLeave",
    guarded(({ ieeeAddr }) => followers.left(ieeeAddr)),
  );
  // The controller has loaded the library long ago.
  const library = import("zigbee-herdsman");
  controller.on(
    "message",
    guarded(async (arrival) => {
      const { Zcl } = await library;
      const valid = withoutInvalid(arrival, Zcl);
      return valid && followers.said(valid);
    }),
  );
  followStrangers(controller, guarded, followers);
}

/** Attaches the followers of devices that are not in the library's table, which its events leave out. */
function followStrangers(
  controller: Controller,
  guarded: Guard,
  { heardFrom, stranger }: Pick<Followers, "heardFrom" | "stranger">,
): void {
  const { adapter } = insideOf(controller);
  adapter?.on(
    "zclPayload",
    guarded(async (arrival) => {
      const { address } = arrival as { address?: unknown };
      if (typeof address === "number" && controller.getDeviceByNetworkAddress(address) === undefined)
        await heardFrom(address);
    }),
  );
  adapter?.on(
    "zdoResponse",
    guarded(async (cluster, response) => {
      const told = introductions.has(cluster) ? addressesIn(response) : undefined;
      if (told === undefined || controller.getDeviceByIeeeAddr(told.ieee) !== undefined) return;
      await stranger(told.ieee, told.networkAddress);
    }),
  );
}

/** Adds a device that is in the network, but whose joining the library has missed. */
export function admit(controller: Controller, ieeeAddr: string, networkAddress: number): void {
  insideOf(controller).adapter?.emit("deviceJoined", { ieeeAddr, networkAddress });
}
