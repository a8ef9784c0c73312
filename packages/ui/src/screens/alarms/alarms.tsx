import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type Answer, inTurn } from "../../api/call.ts";
import { closeAlarm } from "../../api/rows.ts";
import { patient } from "../../parts/answer.ts";
import { Empty, Loading } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { alarmText } from "../../parts/open-alarms.ts";
import { Since } from "../../parts/since.tsx";
import { WhySheet } from "../../parts/why.tsx";
import { hrefOf } from "../../route.ts";
import { change } from "../../store/commands.ts";
import { pastTime } from "../../store/clock.ts";
import { home } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Alarm } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { Closed } from "./closed.tsx";
import { Notices } from "./notices.tsx";
import { sourceOf } from "./source-of.ts";
import { type AlarmsOfKind, type AlarmsOfSource, bySource, firstOf, severalOfKind } from "./sources.ts";
import { Unseen } from "./unseen.tsx";
import { WhyButton } from "./why-button.tsx";

/** As many alarms are drawn at first, and with each press for more. */
const step = 50;

/** Closes alarms one after the other, up to one that the hub refuses. */
function closeEach(alarms: readonly Alarm[]): Promise<Answer<unknown>> {
  const { signal } = new AbortController();
  return inTurn(alarms, ({ id }) => patient(() => closeAlarm(id), signal));
}

function Row({ alarm, asked }: { readonly alarm: Alarm; readonly asked: Signal<Alarm | null> }): JSX.Element {
  const { id, title, name, message, level, timestamp } = alarm;
  return (
    <li class={`card level-${level}`}>
      <h3>{alarmText(title)}</h3>
      <p>{alarmText(message)}</p>
      <p class="muted">
        <Since at={timestamp} />
      </p>
      {isAtLeast("IDENTIFIED_USER") && (
        <div class="row">
          <WhyButton alarm={alarm} asked={asked} />
          <LiveButton onClick={() => void change(closeAlarm(id), t("alarms.closed"))}>
            {t("alarms.close")} <span class="hidden">{name}</span>
          </LiveButton>
        </div>
      )}
    </li>
  );
}

/** What stands open about a source, and the way to it. */
function OfSource(props: { readonly of: AlarmsOfSource; readonly asked: Signal<Alarm | null> }): JSX.Element {
  const { of, asked } = props;
  const { sourceId, alarms } = of;
  // The name of a radio may have spaces, an id may not.
  const heading = `alarms-${encodeURIComponent(sourceId)}`;
  const { name, screen } = sourceOf(sourceId, alarms[0].name);
  return (
    <section aria-labelledby={heading}>
      <div class="row">
        <h2 id={heading}>{name}</h2>
        {screen && (
          <a class="button quiet" href={hrefOf(screen.screen, screen.id)}>
            {t("home.open", { name })}
          </a>
        )}
      </div>
      <ul class="plain">
        {alarms.map((alarm) => (
          <Row key={alarm.id} alarm={alarm} asked={asked} />
        ))}
      </ul>
    </section>
  );
}

/** What closes all alarms of a kind, where several are open. */
function Several({ of }: { readonly of: readonly AlarmsOfKind[] }): JSX.Element | null {
  if (of.length === 0 || !isAtLeast("IDENTIFIED_USER")) return null;
  return (
    <div class="row" role="group" aria-label={t("alarms.several")}>
      {of.map(({ kind, alarms }) => {
        const n = alarms.length;
        return (
          <LiveButton key={kind} onClick={() => void change(closeEach(alarms), t("alarms.closedAll", { n }))}>
            {t("alarms.closeAll", { n, title: alarmText(alarms[0].title) })}
          </LiveButton>
        );
      })}
    </div>
  );
}

/** The alarms: what is open by its source, what the hub wants to say besides, and what was closed. */
export function Alarms(): JSX.Element {
  const asked = useSignal<Alarm | null>(null);
  const most = useSignal(step);
  const all = home.of.alarms.list();
  const open = all.filter(({ closed }) => !closed);
  const { value: about } = asked;
  return (
    <>
      <h1 tabIndex={-1}>{t("alarms.title")}</h1>
      {!home.isTold.value && <Loading />}
      {home.isTold.value && open.length === 0 && <Empty title={t("alarms.none")} />}
      <Several of={severalOfKind(open)} />
      {firstOf(bySource(open), most.value).map((of) => (
        <OfSource key={of.sourceId} of={of} asked={asked} />
      ))}
      {open.length > most.value && (
        <button type="button" class="button" onClick={() => (most.value += step)}>
          {t("alarms.more", { n: open.length - most.value })}
        </button>
      )}
      <Notices />
      {pastTime.value === null && <Unseen />}
      <Closed all={all} asked={asked} />
      {about !== null && (
        <WhySheet
          id={about.id}
          attribute="closed"
          title={t(about.closed ? "alarms.whyClosed" : "alarms.why", { title: alarmText(about.title) })}
          close={() => (asked.value = null)}
        />
      )}
    </>
  );
}
