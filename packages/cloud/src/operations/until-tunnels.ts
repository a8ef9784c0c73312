import type { Relay } from "../relay/relay.ts";

/** Waits until something holds that only tunnels change. @returns whether it does; false when aborted */
export async function untilTunnels(
  holds: () => boolean,
  { tunnels }: Pick<Relay, "tunnels">,
  signal: AbortSignal,
): Promise<boolean> {
  if (holds()) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const end = tunnels.onReach(() => holds() && resolve(true));
  const abort = (): void => resolve(false);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  const held = await promise;
  end();
  signal.removeEventListener("abort", abort);
  return held;
}
