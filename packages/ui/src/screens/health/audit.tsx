import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { audit } from "../../api/past.ts";
import { PastPages } from "../../parts/past-pages.tsx";
import { UserOptions } from "../../parts/user-options.tsx";
import { t } from "../../texts/texts.ts";

const pageEntries = 40;

function Asked(): JSX.Element {
  const user = useSignal("");
  return (
    <>
      <label class="field">
        <span>{t("audit.by")}</span>
        <select value={user.value} onChange={({ currentTarget: { value } }) => (user.value = value)}>
          <option value="">{t("audit.everybody")}</option>
          <UserOptions />
        </select>
      </label>
      <PastPages
        key={user.value}
        about={user.value}
        ask={(before, signal) => audit({ user: user.value || undefined, before, limit: pageEntries }, signal)}
        beside={({ from }) => from !== null && <span class="muted">{t(`auditFrom.${from}`)}</span>}
      />
    </>
  );
}

/** Who did what: asked of the hub once somebody wants to know. */
export function AuditCard(): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details class="card" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("audit.title")}</summary>
      {isOpen.value && <Asked />}
    </details>
  );
}
