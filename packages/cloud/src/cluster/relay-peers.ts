import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Collected, CollectFailure, Collecting } from "../relay/collect.ts";
import { type Refusal, refusal } from "../relay/refusal.ts";
import type { Asked, Relay, RelayPeers } from "../relay/relay.ts";
import { targetOf } from "../relay/target.ts";
import type { Cluster } from "./cluster.ts";
import { clientHeader, notePassed, passOn } from "./passing.ts";
import type { PeerAddress, PeerLink } from "./peer-link.ts";

/** A whole answer, as it goes between processes. */
type Sent = Omit<Collected, "body"> & { readonly body: string };

interface CollectCall {
  readonly user: string;
  readonly hubId: string;
  readonly asked: Omit<Collecting, "signal">;
}

interface AskCall {
  readonly hubId: string;
  readonly path: string;
  readonly json?: object;
  readonly answerMs: number;
}

/** Reaches hubs whose tunnels end at other processes. */
export function relayPeers(link: PeerLink, clock: Pick<Clock, "after">): RelayPeers {
  return {
    async answer(address: PeerAddress, { incoming, outgoing, address: client, headers }: Asked) {
      const options = { headers: { ...incoming.headers, [clientHeader]: client }, always: headers };
      // The other process answers by itself when the hub does not.
      const waitMs = limits.relayAnswerMs + limits.closeGraceMs;
      const failure = await passOn(link, address, { incoming, outgoing, ...options, waitMs }, clock);
      if (failure === "timeout") return refusal(504, "the hub did not answer in time");
      return failure && refusal(502, "the connection to the hub was lost");
    },
    async collect(address, user, hubId, { signal, ...asked }) {
      const call: CollectCall = { user, hubId, asked };
      const timeoutMs = limits.relayAnswerMs + limits.closeGraceMs;
      try {
        const answer = await link.call(address, "collect", call, { timeoutMs, signal });
        if (answer === null || typeof answer !== "object" || !("body" in answer))
          return answer as CollectFailure | Refusal;
        const sent = answer as Sent;
        return { ...sent, body: Buffer.from(sent.body, "base64") };
      } catch {
        return signal.aborted ? "left" : "hub-died";
      }
    },
    async ask(address, hubId, path, json, answerMs) {
      const call: AskCall = { hubId, path, answerMs, ...(json && { json }) };
      const timeoutMs = answerMs + limits.closeGraceMs;
      return link.call(address, "ask", call, { timeoutMs }).then(
        (isAnswered) => isAnswered === true,
        () => false,
      );
    },
  };
}

/** Answers what other processes ask of hubs whose tunnels end here. */
export function serveRelay(cluster: Cluster, relay: Relay): void {
  cluster.serve("collect", async (json, signal) => {
    const { user, hubId, asked } = json as CollectCall;
    const answer = await relay.collectHere(user, hubId, { ...asked, signal });
    if (typeof answer === "string" || !("body" in answer)) return answer;
    return { ...answer, body: answer.body.toString("base64") } satisfies Sent;
  });
  cluster.serve("ask", (json) => {
    const { hubId, path, json: body, answerMs } = json as AskCall;
    return relay.askHere(hubId, path, body, answerMs);
  });
}

/** Answers a request for a hub that another process has passed on. @returns whether it is one */
export function answerPassed(relay: Relay, incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  const target = targetOf(incoming.url ?? "");
  if (target === undefined) return false;
  const address = notePassed(incoming);
  void relay.answer({ incoming, outgoing, target, address, headers: {}, isPassedOn: true });
  return true;
}
