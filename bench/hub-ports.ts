// What an API asks of a hub's process, where a bench has only its kernel.
import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import {
  Authentication,
  EventStreams,
  type HubPorts,
  Logins,
  noModbusTcp,
  noUpdates,
  PollWaits,
  Refused,
} from "@ledge/api";
import { systemClock } from "@ledge/kernel";
import { type KeySet, noWeb } from "@ledge/link";
import { limits, reject } from "@ledge/model";
import type { Home } from "./home.ts";

const hostNames: readonly string[] = [];

/** A hub that has nothing around its kernel. */
export function portsOf({ kernel, clock }: Pick<Home, "kernel" | "clock">, hubId: string): HubPorts {
  return {
    kernel,
    clock,
    hubId,
    meta: () => ({ version: "1.14.15.1", connected: false, cloud: null }),
    presence: { polled: () => {} },
    issuerKeys: () => new Map(),
    claim: {
      closed: () => undefined,
      openForMs: () => 0,
      wrongCode: () => new Refused(403, "a benchmark"),
      origins: [],
      establish: (_, make) => make("owner"),
    },
    mayAsk: () => false,
    streams: new EventStreams(kernel, systemClock),
    pollWaits: new PollWaits(kernel, systemClock),
    logins: new Logins(systemClock, randomBytes),
    localKeys: { problem: () => "a benchmark", sign: async () => "" },
    metrics: () => [],
    scrapeToken: null,
    hostNames: () => hostNames,
    switchUnrecorded: () => undefined,
    probe: async () => "failed",
    offering: async () => [],
    ruleTemplates: () => [],
    ruleRefusal: () => undefined,
    proposeRules: async () => [],
    dryRun: async () => null,
    installing: () => reject("invalid", "a benchmark"),
    ruleDiagram: () => undefined,
    ask: async () => undefined,
    modbusServer: noModbusTcp,
    sticks: { list: async () => [], taking: async () => new Refused(409, "a benchmark") },
    processLog: { open: () => undefined },
    web: noWeb,
    past: { ask: async () => new Refused(503, "a benchmark") },
    remoteCalls: { called: () => {} },
    updates: noUpdates("0.0.0"),
    machine: { refusal: () => "a benchmark", begin: () => {} },
    backups: { list: () => [], make: async () => new Refused(503, "a benchmark"), read: () => undefined },
    health: () => Promise.reject(new Error("a benchmark")),
    log: (_level, message, fields) => process.stderr.write(`${message} ${inspect(fields)}\n`),
  };
}

/** Who believes one issuer, and lets everybody ask as often as they like. */
export function authenticationOf(ports: HubPorts, issuer: string, keys: KeySet): Authentication {
  const authority = {
    issuers: () => [{ name: issuer, keys, lifetimeMs: limits.hubKeyMs }],
    ownName: "ledge-hub",
    localName: "ledge-hub-key",
    generation: () => 0,
    authorizationsSynced: () => 0,
  };
  return new Authentication(ports, authority, {
    tokenCacheEntries: 16,
    requestsPerMinutePerToken: 1e9,
    commandsPerMinutePerToken: 1e9,
  });
}
