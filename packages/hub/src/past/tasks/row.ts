import { answerPast, EventStreams, type HubPorts, Refused, rows } from "@ledge/api";
import { catalogue, offeredTemplates } from "@ledge/rules";
import { clockAt, type Reader } from "../reader.ts";
import type { Task } from "./index.ts";

/** What an endpoint answered then, to a caller with the rights of today: by its own handler. */
export const row: Task<"row"> = (reader, args, asker) =>
  answerPast(rows, args, asker, portsAt(reader, args.at));

/** A hub as it was, with nobody around it. */
function portsAt(reader: Reader, at: number): HubPorts {
  const kernel = reader.kernelAt(at);
  const clock = clockAt(at);
  const gone = async (): Promise<Refused> => new Refused(409, "this is how it was");
  return {
    kernel,
    clock,
    hubId: reader.hubId,
    // Whether the cloud was reached stands in no log.
    meta: () => ({ version: reader.version, connected: false }),
    presence: { polled: () => {} },
    claim: { closed: () => "this is how it was", origins: [], establish: gone },
    issuerKeys: () => new Map(),
    streams: new EventStreams(kernel, clock),
    metrics: () => [],
    scrapeToken: null,
    hostNames: () => [],
    switchUnrecorded: () => undefined,
    probe: async () => "failed",
    offering: () => [],
    ask: async () => undefined,
    sticks: { list: async () => [], taking: gone },
    ruleTemplates: (language) => offeredTemplates(catalogue, kernel, language),
    machine: { refusal: () => "this is how it was", begin: () => {} },
    processLog: { open: () => undefined },
    past: { ask: gone },
    remoteCalls: { called: () => {} },
    log: () => {},
  };
}
