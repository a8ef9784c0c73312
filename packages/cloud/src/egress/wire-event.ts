import { indexIn, type Commit, eventRef, type LoggedEvent } from "@ledge/model";
import type { ChangeEvent } from "@ledge/link";
import type { OutboxMessage } from "@ledge/fleet";
import type { Attribute } from "../model/site-attributes.ts";
import type { SiteEvent } from "../model/site-events.ts";

/**
 * An event as receivers get it (docs/egress.md). `ref` and `path` together name it; a `path` of "" is the site
 * itself. `timestamp` is ms since the epoch.
 */
export interface WireEvent {
  readonly ref: string;
  readonly type: string;
  readonly path: string;
  readonly movedFrom?: string;
  readonly entity?: object;
  readonly site?: object;
  readonly device?: object;
  readonly timestamp: number;
}

/** What the outbox of a site holds: an event of the log, or a change of a device for which an entity stands. */
export type OutboxBody = LoggedBody | DeviceBody;

interface LoggedBody {
  /** When it went into the outbox (ms since the epoch, by the cloud's log). */
  readonly at: number;
  /** As the log stores it, so that what is secret in it is sealed here as well. */
  readonly event: LoggedEvent;
}

export interface DeviceBody {
  readonly at: number;
  readonly path: string;
  readonly deviceRegisterId: string;
  /** The account that has bound the device, and that must be able to read it. */
  readonly by: string;
  readonly change: ChangeEvent;
}

const sent: ReadonlySet<string> = new Set<SiteEvent["type"]>([
  "SiteUpdated",
  "SitePropertiesSet",
  "SiteSchemaSet",
  "EntityCreated",
  "EntityUpdated",
  "EntityMoved",
  "EntityDeleted",
]);

/**
 * Returns what a commit puts into the outboxes of sites; their topics are the ids of the sites.
 * @param hasTargets whether anybody gets the events of a site
 * @param sealed returns an event as it is stored
 */
export function messagesIn(
  commit: Commit,
  hasTargets: (siteId: string) => boolean,
  sealed: (event: LoggedEvent) => LoggedEvent,
): OutboxMessage[] {
  const { timestamp, events } = commit;
  const messages: OutboxMessage[] = [];
  for (const [place, event] of events.entries()) {
    if (!sent.has(event.type) || !hasTargets(event.id)) continue;
    const body = { at: timestamp, event: sealed(event) } satisfies OutboxBody;
    messages.push({ topic: event.id, ref: eventRef(timestamp, indexIn(commit, place)), body });
  }
  return messages;
}

/** Returns an entry of an outbox as receivers get it. @param opened returns a stored event as it was */
export function wireEvent(
  ref: string,
  body: OutboxBody,
  opened: (event: LoggedEvent) => LoggedEvent,
): WireEvent {
  if ("event" in body) {
    const { type, ...rest } = siteFields(opened(body.event) as LoggedEvent<SiteEvent>);
    return { ref, type, ...rest, timestamp: body.at };
  }
  const { path, deviceRegisterId, change } = body;
  const { device: deviceId, type, timestamp, changed } = change;
  const device = { deviceRegisterId, deviceId, ...(changed !== undefined && { changed }) };
  return { ref, type: `Device${type}`, path, device, timestamp };
}

function siteFields(event: SiteEvent): Omit<WireEvent, "ref" | "timestamp"> {
  const { type } = event;
  switch (event.type) {
    case "SiteUpdated":
      return {
        type,
        path: "",
        site: { displayName: event.displayName, attributes: orNull(event.attributes) },
      };
    case "SitePropertiesSet":
      return { type, path: "", site: { properties: event.properties } };
    case "SiteSchemaSet":
      return { type, path: "", site: { schema: event.schema } };
    case "EntityCreated":
      return { type, path: event.path, entity: { type: event.entityType, ...entityFields(event) } };
    case "EntityUpdated":
      return { type, path: event.path, entity: entityFields(event) };
    case "EntityMoved":
      return { type, path: event.to, movedFrom: event.path };
    case "EntityDeleted":
      return { type, path: event.path };
    case "SiteCreated":
    case "SiteDeleted":
      return { type, path: "" };
  }
}

function entityFields(event: Extract<SiteEvent, { type: "EntityCreated" | "EntityUpdated" }>): object {
  const { path, displayName, attributes, device } = event;
  const bound = device && { deviceRegisterId: device.deviceRegisterId, deviceId: device.deviceId };
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { name, displayName, attributes: orNull(attributes), device: bound };
}

function orNull(attributes: readonly Attribute[]): readonly Attribute[] | null {
  return attributes.length === 0 ? null : attributes;
}
