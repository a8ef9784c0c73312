import type { JSX } from "preact";
import { closeAlarm } from "../../api/rows.ts";
import { Empty, Loading } from "../../parts/faces.tsx";
import { Since } from "../../parts/since.tsx";
import { hrefOf } from "../../route.ts";
import { change } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Alarm } from "../../store/wire.ts";
import { languageNow, t } from "../../texts/texts.ts";

function textIn(texts: Alarm["title"]): string {
  return texts[languageNow()] ?? texts["en"] ?? "";
}

function Row({ alarm }: { readonly alarm: Alarm }): JSX.Element {
  const { id, sourceId, title, message, level, createdAtMs } = alarm;
  const device = home.of.devices.of(sourceId).value;
  return (
    <li class={`card level-${level}`}>
      <h2>{textIn(title)}</h2>
      <p>{textIn(message)}</p>
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
          <button
            type="button"
            class="button"
            disabled={sync.connection.value !== "live"}
            onClick={() => void change(closeAlarm(id), t("alarms.closed"))}
          >
            {t("alarms.close")}
          </button>
        )}
      </div>
    </li>
  );
}

/** The open alarms. */
export function Alarms(): JSX.Element {
  const { alarms } = home.of;
  const open = alarms.ids.value.flatMap((id) => {
    const alarm = alarms.of(id).value;
    return alarm === undefined || alarm.closed ? [] : [alarm];
  });
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
