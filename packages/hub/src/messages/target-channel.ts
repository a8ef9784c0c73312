import type { Kernel } from "@ledge/kernel";
import { isLocalAddress } from "@ledge/link";
import { ForbiddenAddress, Outgoing } from "@ledge/link/outgoing";
import { limits, wayTo } from "@ledge/model";
import { type Channel, ChannelError } from "./channel.ts";
import { targetRequest } from "./target-requests.ts";
import { overloaded, problemOf } from "./webhook.ts";

export interface TargetHost {
  readonly kernel: Pick<Kernel, "get">;
  /** For targets of the owner: as for the addresses of the profile, the home's own network included. */
  readonly local: Outgoing;
  /** For targets of others. */
  readonly remote: Outgoing;
  /** The limit for the whole exchange (ms). */
  readonly timeoutMs?: number;
}

/** Returns the way out for servers that administrators name: none in a private network, as they could probe that. */
export function publicOutgoing(): Outgoing {
  return new Outgoing({
    mayAsk: (address) => !isLocalAddress(address),
    refusal: "is in a private network, which the owner alone may name",
  });
}

/** Returns the channel to the server of a target, with the target's settings at the time of each message. */
export function targetChannel(
  id: string,
  { kernel, local, remote, timeoutMs = limits.channelTimeoutMs }: TargetHost,
): Channel {
  return {
    name: wayTo(id),
    reaches: ({ id: user }) => kernel.get("messageTarget", id)?.user === user,
    async send(message) {
      const target = kernel.get("messageTarget", id);
      if (target === undefined) throw new ChannelError("refused", "the target was removed");
      const { token } = target;
      // A backup without secrets has left it out.
      if (token !== null && typeof token !== "string")
        throw new ChannelError("down", "its token is missing: give it again");
      const { method, url, headers, body } = targetRequest(message, target, token);
      const { status } = await (target.local ? local : remote)
        .exchange(url, {
          method,
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify(body),
          timeoutMs,
          bytesMax: limits.channelAnswerBytes,
        })
        .catch((error: unknown) => {
          const isForbidden = error instanceof ForbiddenAddress && !target.local;
          throw new ChannelError(
            "down",
            isForbidden
              ? "is not asked: the owner alone may name a server in a private network"
              : problemOf(error as Error),
          );
        });
      if (status < 200 || status >= 300) throw faultOf(status);
    },
  };
}

/** A wrong token or address is not about one message: all wait until somebody mends it, as with a server that is down. */
function faultOf(status: number): ChannelError {
  if (status === 401 || status === 403)
    return new ChannelError("down", `answered ${status}: the token is not accepted, or may not send there`);
  if (status === 404 || status === 405 || (status >= 300 && status < 400))
    return new ChannelError("down", `answered ${status}: the address is not that of the server`);
  if (overloaded.has(status)) return new ChannelError("down", `answered ${status}`);
  return new ChannelError(status >= 500 ? "later" : "refused", `answered ${status}`);
}
