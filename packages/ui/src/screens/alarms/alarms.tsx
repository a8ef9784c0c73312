import type { JSX } from "preact";
import { closeAlarm } from "../../api/rows.ts";
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

function Row({ alarm }: { readonly alarm: Alarm }): JSX.Element {
  const { id, sourceId, title, message, level, createdAtMs } = alarm;
  const device = home.of.devices.of(sourceId).value;
  return (
    <li class={`card level-${level}`}>
      <h2>{alarmText(title)}</h2>
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
            {t("alarms.close")}
          </LiveButton>
        )}
      </div>
    </li>
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
      <ul class="plain">
        {open.map((alarm) => (
          <Row key={alarm.id} alarm={alarm} />
        ))}
      </ul>
    </>
  );
}
