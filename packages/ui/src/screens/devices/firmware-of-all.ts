import { type ReadonlySignal, useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { UpgradeInfo } from "@ledge/model";
import type { Answer } from "../../api/call.ts";
import { upgradeInfos } from "../../api/upgrades.ts";
import { type Asked, useAnswer } from "../../parts/answer.ts";
import { hasNewer, lookAfterAllMs, versionOf } from "../../parts/firmware.ts";
import { pastTime } from "../../store/clock.ts";

/** What the hub says of the firmware of all devices; of an earlier time it says nothing. */
export interface FirmwareOfAll {
  readonly asked: ReadonlySignal<Asked<readonly UpgradeInfo[]>>;
  readonly again: () => void;
  /** Devices that newer firmware is there for, by id. */
  readonly newer: ReadonlySignal<ReadonlyMap<string, UpgradeInfo>>;
}

function ask(signal: AbortSignal): Promise<Answer<readonly UpgradeInfo[]>> {
  return pastTime.peek() === null ? upgradeInfos(signal) : Promise.resolve({ ok: true, value: [] });
}

/** Asks once for the firmware of all devices. @param isFollowed whether what is under way is followed to its end */
export function useFirmwareOfAll(isFollowed: boolean): FirmwareOfAll {
  const follows = useRef(isFollowed);
  const { asked, again } = useAnswer(ask, pastTime.value === null ? "now" : "then", (now) =>
    follows.current && now.state === "done" ? lookAfterAllMs(now.value) : null,
  );
  useEffect(() => {
    if (isFollowed && !follows.current) again();
    follows.current = isFollowed;
  }, [isFollowed]);
  const newer = useComputed(() => {
    const { value: now } = asked;
    const infos = now.state === "done" ? now.value.filter(hasNewer) : [];
    return new Map(infos.map((info) => [info.id, info]));
  });
  return { asked, again, newer };
}

/** Returns the versions that devices run, by id, as far as they are known. */
export function versionsIn(asked: Asked<readonly UpgradeInfo[]>): ReadonlyMap<string, string> {
  const infos = asked.state === "done" ? asked.value : [];
  return new Map(
    infos.flatMap((info): [string, string][] => {
      const version = versionOf(info);
      return version === null ? [] : [[info.id, version]];
    }),
  );
}
