import type { AdapterLog } from "@ledge/port";
import type { Controller, Events, Models } from "zigbee-herdsman";
import { insideOf } from "./library-inside.ts";

/** Who is told what the library sees. */
export interface Followers {
  /** A frame of the device has arrived, whatever it says. */
  heard(device: Models.Device): void;
  said(arrival: Events.MessagePayload): unknown;
  joined(device: Models.Device): Promise<void>;
  /** It had been in the library's table. */
  rejoined(device: Models.Device): void;
  /** @param isDone false: the interview has failed. */
  interviewed(device: Models.Device, isDone: boolean): Promise<void>;
  /** It has said that it is there, as devices do when they get power or a new address. */
  announced(device: Models.Device): Promise<void>;
  left(ieee: string): void;
  /** A frame has come from an address of which the library knows nothing. */
  heardFrom(networkAddress: number): Promise<void>;
  /** Somebody of whom the library knows nothing has said who it is. */
  stranger(ieee: string, networkAddress: number): Promise<void>;
}

/** What devices say of their addresses: an announcement, and answers to who has an address and to whose one is. */
const introductions: ReadonlySet<number> = new Set([0x0013, 0x8000, 0x8001]);

/**
 * Attaches followers to a controller. What one of them throws is logged, and ends nothing.
 * @param isCurrent false: the controller is of no use any more, and what it says does not count.
 */
export function follow(
  controller: Controller,
  log: AdapterLog,
  isCurrent: () => boolean,
  followers: Followers,
): void {
  const guarded =
    <T extends readonly unknown[]>(take: (...event: T) => unknown): ((...event: T) => void) =>
    (...event) => {
      if (isCurrent())
        void (async () => take(...event))().catch((error: unknown) => {
          const { message, stack = "" } = error as Error;
          log("error", `what a device has said was not understood: ${message}`, { stack });
        });
    };
  /** Devices whose `deviceJoined` was told: what follows in the same turn is of the same join. */
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
  controller.on(
    "message",
    guarded((arrival) => followers.said(arrival)),
  );
  const { adapter } = insideOf(controller);
  adapter?.on(
    "zclPayload",
    guarded(async (arrival) => {
      const { address } = arrival as { address?: unknown };
      if (typeof address === "number" && controller.getDeviceByNetworkAddress(address) === undefined)
        await followers.heardFrom(address);
    }),
  );
  adapter?.on(
    "zdoResponse",
    guarded(async (cluster, response) => {
      if (!introductions.has(cluster) || !Array.isArray(response)) return;
      const { eui64, nwkAddress } = (response[1] ?? {}) as { eui64?: unknown; nwkAddress?: unknown };
      if (typeof eui64 !== "string" || typeof nwkAddress !== "number") return;
      if (controller.getDeviceByIeeeAddr(eui64) === undefined) await followers.stranger(eui64, nwkAddress);
    }),
  );
}

/** A device is in the network, and the library has missed its joining: that is made up for. */
export function admit(controller: Controller, ieeeAddr: string, networkAddress: number): void {
  insideOf(controller).adapter?.emit("deviceJoined", { ieeeAddr, networkAddress });
}
