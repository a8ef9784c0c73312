import { channelsOf, processCredentials } from "../messages/channels.ts";
import { Outbox } from "../messages/outbox.ts";
import { publicOutgoing, targetChannel } from "../messages/target-channel.ts";
import type { Outgoing } from "@ledge/link/outgoing";
import type { FeedHost } from "../prices/feed.ts";
import { PriceFeed } from "../prices/feed.ts";
import { priceSource } from "../prices/source.ts";
import type { BeginOptions } from "../start/begin.ts";

/** The hub's outgoing traffic besides its adapters: messages and prices. */
export interface Outside {
  start(): void;
  stop(): Promise<void>;
}

/** Sets up messages and prices from the profile, without starting them. */
export function openOutside(
  { profile, folder, clock, logger }: Pick<BeginOptions, "profile" | "folder" | "clock" | "logger">,
  of: Pick<FeedHost, "kernel" | "notes" | "hubId">,
  outgoing: Outgoing,
): Outside {
  const host = { ...of, clock, logger, random: Math.random };
  const { messages: { language = "en", ...settings } = {}, prices: wanted } = profile;
  const seconds = (): number => Math.floor(clock.wall() / 1000);
  const channels = channelsOf(settings, processCredentials(), seconds, logger, outgoing);
  const ways = { kernel: of.kernel, local: outgoing, remote: publicOutgoing() };
  const outbox = new Outbox({ ...host, language }, channels, (id) => targetChannel(id, ways));
  const prices = wanted && new PriceFeed(wanted, priceSource(wanted.source, folder, outgoing), host);
  return {
    start() {
      outbox.start();
      prices?.start();
    },
    stop() {
      prices?.stop();
      return outbox.stop();
    },
  };
}
