import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import type { Answer } from "../../api/call.ts";
import { changeDevices } from "../../api/rows.ts";
import { lockAll } from "../../api/system.ts";
import { AskedTwice } from "../../parts/asked-twice.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { change } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { byLock } from "./locks.ts";

/** Locks and unlocks devices, which the owner alone may. */
function setLocks(ids: readonly string[], locked: boolean): Promise<Answer<true>> {
  return changeDevices(...ids.map((id) => ({ type: "CMD_DEVICE_LOCK", id, locked })));
}

function idsNow(): ReturnType<typeof byLock> {
  return byLock(home.of.devices.list());
}

async function lock(): Promise<void> {
  const { open } = idsNow();
  const done = t("lock.locked");
  if (isAtLeast("OWNER_ADMIN")) await change(lockAll(), done, () => setLocks(open, false));
  else await change(lockAll(), done);
}

async function unlock(): Promise<void> {
  const { locked } = idsNow();
  await change(setLocks(locked, false), t("lock.unlocked"), () => setLocks(locked, true));
}

/** Locks the settings of all devices against changes, and lets the owner unlock them. */
export function Lock(): JSX.Element {
  const { devices } = home.of;
  const all = useComputed(() => devices.ids.value.length);
  const locked = useComputed(() => byLock(devices.list()).locked.length);
  const n = locked.value;
  return (
    <section class="card" aria-labelledby="lock-title">
      <h2 id="lock-title">{t("lock.title")}</h2>
      <p>{t("lock.how")}</p>
      <p role="status">{t("lock.count", { n, all: all.value })}</p>
      {n < all.value && (
        <AskedTwice
          text={t("lock.all")}
          question={t("lock.sure")}
          yes={t("lock.now")}
          no={t("lock.not")}
          act={lock}
        />
      )}
      {n > 0 && isAtLeast("OWNER_ADMIN") && (
        <LiveButton onClick={() => void unlock()}>{t("lock.unlock")}</LiveButton>
      )}
    </section>
  );
}
