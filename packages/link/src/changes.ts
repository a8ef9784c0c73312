/**
 * What a hub tells its cloud of the home when the owner lets it (`GET /.ledge/changes?after&max&wait`, through the
 * tunnel): lines of JSON, a head first and an end last. An answer without its end is incomplete.
 */

/** The first line. */
export interface ChangesHead {
  /** The version of this format. */
  readonly v: 1;
  /** `none`: nothing of the home follows, and the cloud must keep nothing. */
  readonly share: "none" | "states";
  /** Grows when the hub begins anew, as after a restore. Cursors of earlier generations say nothing. */
  readonly generation: number;
  /** Whether the devices and alarms that follow are all there are. */
  readonly full: boolean;
  /** The cursor that the cloud has sent. */
  readonly after: string | null;
}

/** How a device has changed (platform-api 6). */
export const changeTypes = ["Added", "Updated", "StateChanged", "Removed"] as const;
export type ChangeType = (typeof changeTypes)[number];

/** A change of a device, as an event of its log says it. */
export interface ChangeEvent {
  /** The event's place in the hub's log. */
  readonly ref: string;
  readonly device: string;
  readonly type: ChangeType;
  /** ms since the epoch, by the hub's clock. */
  readonly timestamp: number;
  /** The attributes or fields that it names. Left out when they are too long for a line. */
  readonly changed?: Readonly<Record<string, unknown>>;
}

/** A line between the first and the last. */
export type ChangeLine =
  | { readonly event: ChangeEvent }
  /** A device as `GET /devices` shows it to the owner (hub-api 2.5). */
  | { readonly device: Readonly<Record<string, unknown>> & { readonly id: string } }
  /** USER_ALARM (hub-api 2.9). */
  | { readonly alarm: Readonly<Record<string, unknown>> & { readonly id: string } }
  | {
      readonly removed: {
        readonly kind: "device" | "alarm";
        readonly id: string;
        readonly timestamp: number;
      };
    };

/** The last line. */
export interface ChangesEnd {
  /** The cursor for the next request; opaque. */
  readonly next: string;
  /** Whether more is waiting. */
  readonly more: boolean;
}
