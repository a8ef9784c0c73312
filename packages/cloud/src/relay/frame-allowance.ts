import type { Clock } from "@ledge/kernel";
import { Rate } from "@ledge/link";
import { FrameReader, frameTypes, prefaceBytes, type TunnelDuplex } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";

export interface FrameBounds {
  readonly tunnelFrames: number;
  readonly tunnelFramesMs: number;
}

/** What a request may lead to beside its answer's body: its head, an end, windows. */
const framesPerRequest = 8;
/** A hub makes room for a body in steps that are no smaller. */
const bytesPerWindow = 8192;
/** What is under way may lead to so many, and no hub saves up more. */
const framesUnderWay = limits.tunnelStreams * framesPerRequest;

/**
 * Calls `exceeded` once a hub has sent more frames than it may that carry no answer: settings, pings, resets, priorities,
 * windows, empty or tiny pieces of bodies. Each costs the cloud time and says nothing, and HTTP/2 allows any number. What
 * the cloud asks of a hub lets it send more.
 */
export function limitFrames(
  duplex: TunnelDuplex,
  clock: Pick<Clock, "monotonic">,
  exceeded: () => void,
  { tunnelFrames, tunnelFramesMs }: FrameBounds = limits,
): void {
  const rate = new Rate(tunnelFrames, tunnelFramesMs);
  const bucket = rate.full(clock.monotonic());
  let [isOver, due] = [false, 0];
  const fromHub = new FrameReader(0, (type, bytes) => {
    if (isOver || (type === frameTypes.data && bytes >= limits.tunnelTinyBytes)) return;
    if (due >= 1) due--;
    else isOver = rate.take(bucket, clock.monotonic()) > 0;
  });
  const toHub = new FrameReader(prefaceBytes, (type, bytes) => {
    if (type === frameTypes.headers) due += framesPerRequest;
    else if (type === frameTypes.data) due += 1 + bytes / bytesPerWindow;
    due = Math.min(due, framesUnderWay);
  });
  duplex.watch({
    received: (chunk) => {
      fromHub.read(chunk);
      if (isOver) exceeded();
    },
    sent: (chunk) => toHub.read(chunk),
  });
}
