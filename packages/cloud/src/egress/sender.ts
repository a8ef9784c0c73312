import type { Outgoing } from "@ledge/link/outgoing";
import { limits } from "@ledge/model";
import type { EgressTarget } from "../model/egress-state.ts";
import { judgeAnswer, judgeError, type Judged } from "./answer.ts";
import type { Batch } from "./batch.ts";
import { signatureHeaders } from "./signing.ts";

/** Sends a batch to a receiver, once. */
export interface Sender {
  send(target: EgressTarget, batch: Pick<Batch, "batchId" | "body">, signal: AbortSignal): Promise<Judged>;
}

/**
 * Returns a sender over HTTP.
 * @param now ms since the epoch
 */
export function httpSender(outgoing: Pick<Outgoing, "exchange">, now: () => number): Sender {
  return {
    async send({ settings, secret, former }, { batchId, body }, signal) {
      const { url, method, requestTimeoutSeconds } = settings;
      const at = now();
      const secrets = former === null || former.until <= at ? [secret] : [secret, former.secret];
      const headers = {
        "user-agent": "Ledge",
        ...lowered(settings.headers),
        "content-type": "application/json",
        ...signatureHeaders(batchId, Math.floor(at / 1000), body, secrets),
      };
      const timeoutMs = Math.round((requestTimeoutSeconds ?? limits.egressTimeoutUsualS) * 1000);
      const bytesMax = limits.egressAnswerBytes;
      try {
        return judgeAnswer(
          await outgoing.exchange(url, { method, headers, body, timeoutMs, bytesMax, signal }),
          now(),
        );
      } catch (error) {
        return judgeError(error as NodeJS.ErrnoException);
      }
    },
  };
}

function lowered(headers: EgressTarget["settings"]["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
