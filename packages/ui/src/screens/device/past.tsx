import { useSignal } from "@preact/signals";
import type { RestorableKind } from "@ledge/model";
import type { JSX } from "preact";
import { audit, type AuditEntry, timeline } from "../../api/past.ts";
import { undo } from "../../api/rows.ts";
import { momentOf } from "../../format.ts";
import { patient } from "../../parts/answer.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { PastPages } from "../../parts/past-pages.tsx";
import { pastTime } from "../../store/clock.ts";
import { change } from "../../store/commands.ts";
import { notify } from "../../store/notices.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { undoableKind } from "./undoable.ts";

const pageEntries = 20;

/** Puts a device back as it was before a change. @returns whether that has changed anything */
async function takeBack({ id, name }: Device, kind: RestorableKind, { at }: AuditEntry): Promise<boolean> {
  const answer = await patient(() => undo(kind, id, at - 1), new AbortController().signal);
  if (answer.ok && !answer.value.changed) {
    notify(t("past.same", { name }));
    return false;
  }
  return change(Promise.resolve(answer), t("undo.done"), () => undo(kind, id));
}

function Doings({ device }: { readonly device: Device }): JSX.Element {
  const { id } = device;
  const round = useSignal(0);
  const to = pastTime.value ?? undefined;
  const back = async (kind: RestorableKind, entry: AuditEntry): Promise<void> => {
    if (await takeBack(device, kind, entry)) round.value++;
  };
  return (
    <>
      <h3>{t("audit.title")}</h3>
      <PastPages
        about={JSON.stringify([id, to, round.value])}
        ask={(before, signal) => audit({ id, to, before, limit: pageEntries }, signal)}
        beside={(entry, page, isNewest) => {
          const kind = isNewest ? undoableKind(entry, page) : undefined;
          return (
            <>
              {entry.from !== null && <span class="muted">{t(`auditFrom.${entry.from}`)}</span>}{" "}
              {kind !== undefined && to === undefined && (
                <LiveButton onClick={() => void back(kind, entry)}>
                  {t("undo")} <span class="hidden">{`${entry.text}, ${momentOf(entry.at)}`}</span>
                </LiveButton>
              )}
            </>
          );
        }}
      />
    </>
  );
}

function Happened({ id }: { readonly id: string }): JSX.Element {
  const to = pastTime.value ?? undefined;
  return (
    <>
      <h3>{t("timeline.events")}</h3>
      <PastPages
        about={JSON.stringify([id, to])}
        ask={(before, signal) => timeline({ id, to, before, limit: pageEntries }, signal)}
        beside={() => null}
      />
    </>
  );
}

/** Who did what to a device, and what happened to it: asked of the hub once somebody wants to know. */
export function Past({ device }: { readonly device: Device }): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details class="card" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("past.title")}</summary>
      {isOpen.value && isAtLeast("USER_ADMIN") && <Doings device={device} />}
      {isOpen.value && <Happened id={device.id} />}
    </details>
  );
}
