import type { JSX } from "preact";
import { type Answer, inTurn } from "../../api/call.ts";
import { closeAlarm } from "../../api/rows.ts";
import { patient } from "../../parts/answer.ts";
import { Empty, Loading } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { alarmText, openAlarms } from "../../parts/open-alarms.ts";
import { Since } from "../../parts/since.tsx";
import { hrefOf } from "../../route.ts";
import { change } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Alarm } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { type AlarmsOfKind, byKind } from "./kinds.ts";

/** Closes alarms one after the other, up to one that the hub refuses. */
function closeEach(alarms: readonly Alarm[]): Promise<Answer<unknown>> {
  const { signal } = new AbortController();
  return inTurn(alarms, ({ id }) => patient(() => closeAlarm(id), signal));
}

function Row({ alarm }: { readonly alarm: Alarm }): JSX.Element {
  const { id, sourceId, name, message, level, createdAtMs } = alarm;
  const device = home.of.devices.of(sourceId).value;
  return (
    <li class={`card level-${level}`}>
      <p>{alarmText(message)}</p>
      <p class="muted">
        <Since at={createdAtMs} />
      </p>
      <div class="row">
        {device && (
          <a class="button" href={hrefOf("device", sourceId)}>
            {t("home.open", { name: device.name })}
          </a>
        )}
        {isAtLeast("IDENTIFIED_USER") && (
          <LiveButton onClick={() => void change(closeAlarm(id), t("alarms.closed"))}>
            {t("alarms.close")} <span class="hidden">{name}</span>
          </LiveButton>
        )}
      </div>
    </li>
  );
}

/** The alarms of a kind, and what closes all of them where there are several. */
function Kind({ of: { kind, alarms } }: { readonly of: AlarmsOfKind }): JSX.Element {
  const heading = `alarms-${kind}`;
  const title = alarmText(alarms[0].title);
  const n = alarms.length;
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {n > 1 && isAtLeast("IDENTIFIED_USER") && (
        <LiveButton onClick={() => void change(closeEach(alarms), t("alarms.closedAll", { n }))}>
          {t("alarms.closeAll", { n })} <span class="hidden">{title}</span>
        </LiveButton>
      )}
      <ul class="plain">
        {alarms.map((alarm) => (
          <Row key={alarm.id} alarm={alarm} />
        ))}
      </ul>
    </section>
  );
}

/** The open alarms. */
export function Alarms(): JSX.Element {
  const open = openAlarms();
  return (
    <>
      <h1 tabIndex={-1}>{t("alarms.title")}</h1>
      {!home.isTold.value && <Loading />}
      {home.isTold.value && open.length === 0 && <Empty title={t("alarms.none")} />}
      {byKind(open).map((of) => (
        <Kind key={of.kind} of={of} />
      ))}
    </>
  );
}
