import type { JSX } from "preact";
import { agoOf, momentOf } from "../format.ts";
import { now } from "../store/clock.ts";

/** How long ago a time (ms of the hub) is; the time itself on hover. */
export function Since({ at }: { readonly at: number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={momentOf(at)}>
      {agoOf(at, now.value)}
    </time>
  );
}
