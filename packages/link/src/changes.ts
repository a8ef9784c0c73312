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
  /**
   * Whether the devices and alarms that follow are all there are after `from` and up to `upto` of the last line, so
   * the cloud removes what it has in between and does not find among them.
   */
  readonly full: boolean;
  /** In a full answer: the last place of the page before; null or absent on the first page. */
  readonly from?: ChangePlace | null;
  /** The cursor that the cloud has sent. */
  readonly after: string | null;
}

/** The kinds of objects that a hub shares, in the order in which a full answer names them. */
export const changeKinds = ["device", "alarm"] as const;
export type ChangeKind = (typeof changeKinds)[number];

/**
 * A place among all devices and alarms: by kind as in `changeKinds`, then by id in order of code units. The ids
 * that a register takes are ASCII, which every order of texts has alike.
 */
export interface ChangePlace {
  readonly kind: ChangeKind;
  readonly id: string;
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
      readonly removed: ChangePlace & { readonly timestamp: number };
    };

/** The last line. */
export interface ChangesEnd {
  /** The cursor for the next request; opaque. */
  readonly next: string;
  /** Whether more is waiting. */
  readonly more: boolean;
  /** In a full answer: the last place of this page; null or absent on the last page. */
  readonly upto?: ChangePlace | null;
}
