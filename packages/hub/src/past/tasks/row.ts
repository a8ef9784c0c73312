import {
  answerPast,
  EventStreams,
  type HubPorts,
  Logins,
  noModbusTcp,
  noUpdates,
  PollWaits,
  Refused,
  rows,
} from "@ledge/api";
import type { Kernel } from "@ledge/kernel";
import { noWeb } from "@ledge/link";
import { reject } from "@ledge/model";
import { catalogue, offeredTemplates, ruleDiagram } from "@ledge/rules";
import { clockAt, type Reader } from "../reader.ts";
import type { Task } from "./task.ts";

/**
 * Returns the answer of an endpoint at that time, for a caller with today's rights. It runs the endpoint's own
 * handler.
 */
export const row: Task<"row"> = (reader, args, asker) =>
  answerPast(rows, args, asker, portsAt(reader.kernelAt(args.at), reader, args.at));

/** Returns the ports of a hub as it was at a time (ms), without a live environment. */
export function portsAt(
  kernel: Kernel,
  { hubId, version }: Pick<Reader, "hubId" | "version">,
  at: number,
): HubPorts {
  const clock = clockAt(at);
  const gone = async (): Promise<Refused> => new Refused(422, "this is how it was");
  return {
    kernel,
    clock,
    hubId,
    // The log does not record whether the cloud was connected.
    meta: () => ({ version, connected: false, cloud: null }),
    presence: { polled: () => {} },
    claim: {
      closed: () => "this is how it was",
      openForMs: () => 0,
      wrongCode: () => new Refused(422, "this is how it was"),
      origins: [],
      establish: gone,
    },
    issuerKeys: () => new Map(),
    streams: new EventStreams(kernel, clock),
    pollWaits: new PollWaits(kernel, clock),
    logins: new Logins(clock, () => new Uint8Array(16)),
    localKeys: { problem: () => "this is how it was", sign: async () => "" },
    metrics: () => [],
    scrapeToken: null,
    hostNames: () => [],
    switchUnrecorded: () => undefined,
    mayAsk: () => false,
    probe: async () => "failed",
    offering: async () => [],
    ask: async () => undefined,
    sticks: { list: async () => [], taking: gone },
    modbusServer: noModbusTcp,
    ruleTemplates: (language) => offeredTemplates(catalogue, kernel, language),
    ruleRefusal: () => undefined,
    proposeRules: async () => [],
    dryRun: async () => null,
    installing: () => reject("wrong-state", "this is how it was"),
    ruleDiagram: (of) => ruleDiagram(catalogue, kernel, of),
    updates: noUpdates(version),
    machine: { refusal: () => "this is how it was", begin: () => {} },
    health: () => Promise.reject(new Error("this is how it was")),
    backups: { list: () => [], make: gone, read: () => undefined },
    processLog: { open: () => undefined },
    web: noWeb,
    past: { ask: gone },
    remoteCalls: { called: () => {} },
    log: () => {},
  };
}
