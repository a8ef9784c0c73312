import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { alarmText } from "../../parts/open-alarms.ts";
import { Since } from "../../parts/since.tsx";
import { isAtLeast } from "../../store/roles.ts";
import type { Alarm } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { sourceOf } from "./source-of.ts";
import { closedLast } from "./sources.ts";
import { WhyButton } from "./why-button.tsx";

const shown = 50;

function Row({ alarm, asked }: { readonly alarm: Alarm; readonly asked: Signal<Alarm | null> }): JSX.Element {
  const { sourceId, name, title, timestamp } = alarm;
  return (
    <li class="row">
      <p>
        <strong>{sourceOf(sourceId, name).name}</strong> {alarmText(title)}{" "}
        <span class="muted">
          <Since at={timestamp} />
        </span>
      </p>
      {isAtLeast("IDENTIFIED_USER") && <WhyButton alarm={alarm} asked={asked} />}
    </li>
  );
}

/** The alarms that were closed last. They are drawn when somebody wants to see them. */
export function Closed(props: {
  readonly all: readonly Alarm[];
  readonly asked: Signal<Alarm | null>;
}): JSX.Element | null {
  const { all, asked } = props;
  const isOpen = useSignal(false);
  const closed = closedLast(all).slice(0, shown);
  if (closed.length === 0) return null;
  return (
    <details class="card" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("alarms.closedLast", { n: closed.length })}</summary>
      {isOpen.value && (
        <ul class="plain">
          {closed.map((alarm) => (
            <Row key={alarm.id} alarm={alarm} asked={asked} />
          ))}
        </ul>
      )}
    </details>
  );
}
