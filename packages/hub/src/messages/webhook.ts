import { createHmac } from "node:crypto";
import { limits } from "@ledge/model";
import type { Channel, OutgoingMessage } from "./channel.ts";
import { ChannelError } from "./channel.ts";

export interface WebhookOptions {
  readonly name: "push" | "sms";
  readonly url: string;
  /** The key that signs. */
  readonly secret: string;
  /** Seconds since the epoch, for the signature. */
  readonly seconds: () => number;
  /** Of the whole exchange. */
  readonly timeoutMs?: number;
}

/** Answers after which nothing else will be taken either for a while. */
const overloaded: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/**
 * Posts messages as JSON. `Ledge-Signature: t=<seconds>,v1=<hex>` is the HMAC-SHA256 of `<seconds>.<body>`, so that the
 * receiver can tell that it comes from this hub, and when. Any answer of 200 to 299 means that the message is taken.
 */
export function webhookChannel(options: WebhookOptions): Channel {
  const { name, url, secret, seconds, timeoutMs = limits.channelTimeoutMs } = options;
  return {
    name,
    reaches: ({ user_info }) => name === "push" || user_info.user.phone !== null,
    async send(message) {
      const body = bodyOf(name, message);
      const status = await post(url, body, signature(secret, seconds(), body), timeoutMs);
      if (status >= 200 && status < 300) return;
      if (status >= 300 && status < 400)
        throw new ChannelError("refused", `a redirect, which is not followed`);
      if (overloaded.has(status)) throw new ChannelError("down", `answered ${status}`);
      throw new ChannelError(status >= 500 ? "later" : "refused", `answered ${status}`);
    },
  };
}

/** What a body is signed with. */
export function signature(secret: string, seconds: number, body: string): string {
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}

function bodyOf(channel: "push" | "sms", { to, ...message }: OutgoingMessage): string {
  const { user = "", phone = null, clients = [] } = to ?? {};
  const recipient = channel === "sms" ? { user, phone } : { user, clients };
  return JSON.stringify({ type: "MESSAGE", channel, ...message, to: recipient });
}

/** The status of the answer; what else it says is not read beyond a limit. */
async function post(url: string, body: string, signed: string, timeoutMs: number): Promise<number> {
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", "ledge-signature": signed },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await drain(response.body);
    return response.status;
  } catch (error) {
    throw new ChannelError("down", problemOf(error as Error));
  }
}

/** Reads an answer to its end, so that the connection can be used again; one that is too long is cut off. */
async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limits.channelAnswerBytes) return;
  }
}

/** What went wrong on the way, by the code of the system's error: its text may name addresses. */
function problemOf({ name, cause }: Error): string {
  if (name === "TimeoutError") return "did not answer in time";
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return `could not be reached: ${code ?? name}`;
}
