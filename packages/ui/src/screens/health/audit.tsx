import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { audit, type AuditEntry } from "../../api/past.ts";
import { clockOf, momentOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { UserOptions } from "../../parts/user-options.tsx";
import { t } from "../../texts/texts.ts";

const pageEntries = 40;

function Entry({ of: { at, text, from } }: { readonly of: AuditEntry }): JSX.Element {
  return (
    <li>
      <time dateTime={new Date(at).toISOString()} title={momentOf(at)} class="muted">
        {clockOf(at)}
      </time>{" "}
      {text} {from !== null && <span class="muted">{t(`auditFrom.${from}`)}</span>}
    </li>
  );
}

/** Some entries, the newest first, and those before them once somebody asks for them. */
function Page({ user, before }: { readonly user: string; readonly before: string }): JSX.Element {
  const isLonger = useSignal(false);
  const { asked, again } = useAnswer(
    (signal) => audit({ user, before, limit: pageEntries }, signal),
    `${user} ${before}`,
  );
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={({ entries, next }) => (
        <>
          {entries.length === 0 && next === null && <p>{t("audit.none")}</p>}
          <ul class="plain">
            {entries.map((entry) => (
              <Entry key={entry.ref} of={entry} />
            ))}
          </ul>
          {next !== null && !isLonger.value && (
            <button type="button" class="button" onClick={() => (isLonger.value = true)}>
              {t("audit.older")}
            </button>
          )}
          {next !== null && isLonger.value && <Page user={user} before={next} />}
        </>
      )}
    />
  );
}

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
      <Page key={user.value} user={user.value} before="" />
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
