import type { Row } from "@ledge/api";
import { Refused, row } from "@ledge/api";
import { declared, limits, parseEventRef } from "@ledge/model";
import Type from "typebox";
import { backupSource, sourceContentType } from "@ledge/host/backup/source";
import type { CloudLink } from "../cloud/cloud-link.ts";
import { userRows } from "./user-rows.ts";
import { zigbeeRows } from "./zigbee-rows.ts";
import type { ConsoleHost } from "./console-host.ts";
import { causesOf, eventAt, eventsAfter } from "./events.ts";
import type { IdentityKey } from "../secrets/identity-key.ts";
import { generationRow, identityRow } from "./identity-rows.ts";
import { markForReset } from "../folder/factory-reset.ts";
import { updateRow } from "./update-row.ts";
import { apiVersion, release } from "../version.ts";

const Anything = Type.Record(Type.String(), Type.Unknown());

/** Returns the endpoints for the `ledge` command. They are mounted on the console's listener only. */
export function consoleRows(host: ConsoleHost): readonly Row[] {
  return [
    statusRow(host),
    eventRow,
    eventsRow,
    backupRow(host),
    resumeRow(host),
    resetRow(host),
    identityRow(host),
    generationRow(host),
    ...userRows(host),
    ...zigbeeRows,
    updateRow(host),
  ];
}

function statusRow(host: ConsoleHost): Row {
  return row({
    method: "GET",
    path: "/console/status",
    access: "SUPER_ADMIN",
    summary: "How the hub fares",
    result: Anything,
    handle: ({ hub }) => {
      const [state] = [...hub.kernel.all("hub")].map(([, found]) => found);
      const { commits, events, fileBytes, journalMode } = hub.kernel.log.stats();
      return {
        release,
        version: apiVersion,
        profile: host.profile,
        folder: host.folder,
        address: host.address(),
        https: host.https(),
        cloud: cloudStatus(host.link),
        hubId: hub.hubId,
        identity: identityStatus(host.identity),
        lost: host.lost(),
        name: state?.name ?? null,
        state: state?.state ?? null,
        pid: process.pid,
        uptimeMs: Math.round(hub.clock.monotonic() - host.startedAt),
        timestamp: hub.kernel.timestamp,
        kernel: hub.kernel.health,
        log: { commits, events, fileBytes, journalMode, ...hub.kernel.retention },
        history: host.history.status,
        objects: {
          devices: hub.kernel.size("device"),
          groups: hub.kernel.size("group"),
          rooms: hub.kernel.size("room"),
          users: hub.kernel.size("user"),
        },
        adapters: host.devices.statuses(),
        memory: process.memoryUsage.rss(),
      };
    },
  });
}

/** Returns the fingerprint of the hub's identity key, or the reason why it has none. */
function identityStatus({ keys, problem }: IdentityKey): object {
  const [fingerprint = null] = keys.keys();
  return { fingerprint, problem: problem ?? null };
}

/**
 * Returns the state of the cloud link; null for a hub without a cloud. `seq`: number of the newest list of
 * users.
 */
function cloudStatus(link: CloudLink | undefined): object | null {
  if (link === undefined) return null;
  const { url, issuer = null, connected, seq, clones } = link;
  return { url, issuer, connected, seq, clone: clones.seen ?? null };
}

const eventRow: Row = row({
  method: "GET",
  path: "/console/event",
  access: "SUPER_ADMIN",
  summary: "An event and what led to it",
  query: Type.Object({ ref: Type.String() }),
  result: Anything,
  handle: ({ hub, query: { ref } }) => {
    const found = eventAt(hub.kernel, ref);
    if (found === undefined) return new Refused(404, `no event ${ref}`);
    return { ...found, causes: causesOf(hub.kernel, found) };
  },
});

const eventsRow: Row = row({
  method: "GET",
  path: "/console/events",
  access: "SUPER_ADMIN",
  summary: `Up to ${limits.pageEvents} events behind a reference`,
  query: Type.Object({ after: Type.String() }),
  result: Type.Array(Anything),
  handle: ({ hub, query: { after } }) => {
    const place = parseEventRef(after);
    if (place === undefined) return new Refused(422, `${after} is no reference to an event`);
    return eventsAfter(hub.kernel, place, limits.pageEvents).map((placed) => ({ ...placed }));
  },
});

function backupRow({ secrets }: ConsoleHost): Row {
  return row({
    method: "GET",
    path: "/console/backup",
    access: "SUPER_ADMIN",
    summary: "The log as of now and its projections, line by line, secrets included",
    stream: true,
    contentType: sourceContentType,
    result: Type.String(),
    handle: ({ hub }) => {
      const { state } = hub.kernel.health;
      if (state === "rescue")
        return new Refused(
          422,
          "only a part of the log can be read: repair it first (ledge doctor --repair)",
        );
      const source = backupSource(hub.kernel, { hubId: hub.hubId, release }, secrets, declared);
      return new Response(source, { headers: { "content-type": sourceContentType } });
    },
  });
}

function resumeRow(host: ConsoleHost): Row {
  return row({
    method: "POST",
    path: "/console/resume",
    access: "SUPER_ADMIN",
    summary: "Tries a resting adapter again",
    query: Type.Object({ protocol: Type.String() }),
    result: Type.Boolean(),
    handle: ({ query: { protocol } }) =>
      host.devices.resume(protocol) ? true : new Refused(404, `no adapter ${protocol}`),
  });
}

function resetRow({ folder }: ConsoleHost): Row {
  return row({
    method: "POST",
    path: "/console/factory-reset",
    access: "SUPER_ADMIN",
    summary: "Has everything of this hub erased, and ends it",
    result: Type.Literal(true),
    handle: () => {
      markForReset(folder);
      // A signal like an operator's, so that the caller gets its answer first.
      process.kill(process.pid, "SIGTERM");
      return true as const;
    },
  });
}
