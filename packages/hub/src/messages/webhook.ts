import { createHmac } from "node:crypto";
import { limits } from "@ledge/model";
import type { Channel, OutgoingMessage } from "./channel.ts";
import { ChannelError } from "./channel.ts";
import { ForbiddenAddress, LateAnswer, type Outgoing } from "@ledge/link/outgoing";

export interface WebhookOptions {
  readonly name: "push" | "sms";
  readonly url: string;
  /** The signing key. */
  readonly secret: string;
  /** Seconds since the epoch, for the signature. */
  readonly seconds: () => number;
  readonly outgoing: Outgoing;
  /** The limit for the whole exchange (ms). */
  readonly timeoutMs?: number;
}

/** Statuses that mean that the server will take no other message for a while either. */
export const overloaded: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/**
 * Returns a channel that posts messages as JSON. `Ledge-Signature: t=<seconds>,v1=<hex>` is the HMAC-SHA256 of
 * `<seconds>.<body>`, which proves the sender and the time. An answer of 200 to 299 means that the message is
 * taken.
 */
export function webhookChannel(options: WebhookOptions): Channel {
  const { name, url, secret, seconds, outgoing, timeoutMs = limits.channelTimeoutMs } = options;
  return {
    name,
    reaches: ({ user_info }) => name === "push" || user_info.user.phone !== null,
    async send(message) {
      const body = bodyOf(name, message);
      const headers = {
        "content-type": "application/json",
        "ledge-signature": signature(secret, seconds(), body),
      };
      // The rest of the answer is read up to a limit only.
      const { status } = await outgoing
        .exchange(url, { method: "POST", headers, body, timeoutMs, bytesMax: limits.channelAnswerBytes })
        .catch((error: unknown) => {
          throw new ChannelError("down", problemOf(error as Error));
        });
      if (status >= 200 && status < 300) return;
      if (status >= 300 && status < 400)
        throw new ChannelError("refused", `a redirect, which is not followed`);
      if (overloaded.has(status)) throw new ChannelError("down", `answered ${status}`);
      throw new ChannelError(status >= 500 ? "later" : "refused", `answered ${status}`);
    },
  };
}

/** Returns the signature of a body. */
export function signature(secret: string, seconds: number, body: string): string {
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}

function bodyOf(channel: "push" | "sms", { to, ...message }: OutgoingMessage): string {
  const { user = "", phone = null, clients = [] } = to ?? {};
  const recipient = channel === "sms" ? { user, phone } : { user, clients };
  return JSON.stringify({ type: "MESSAGE", channel, ...message, to: recipient });
}

/** Describes a network error by its code, because its text may name addresses. */
export function problemOf(error: NodeJS.ErrnoException): string {
  if (error instanceof LateAnswer) return "did not answer in time";
  if (error instanceof ForbiddenAddress) return "is not asked: the profile does not allow localTargets";
  return `could not be reached: ${error.code ?? error.name}`;
}
