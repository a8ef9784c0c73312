import type { Clock } from "@ledge/kernel";
import { Rate } from "@ledge/link";
import { FrameReader, frameTypes, prefaceBytes, type TunnelDuplex } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";

export interface FrameBounds {
  readonly tunnelFrames: number;
  readonly tunnelFramesMs: number;
}

/** Frames that a request may cause beside the body of its answer: head, end, windows. */
const framesPerRequest = 8;
/** A hub enlarges its window for a body in steps of at least this size. */
const bytesPerWindow = 8192;
/** Frames that pending requests may cause together; no hub saves up more. */
const framesUnderWay = limits.tunnelStreams * framesPerRequest;

/**
 * Calls `exceeded` when a hub has sent too many frames that carry no answer: settings, pings, resets,
 * priorities, windows, empty or tiny pieces of bodies. HTTP/2 allows any number of them, and each costs the
 * cloud time. Each request from the cloud lets the hub send more.
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
