import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { alarmText } from "../../parts/open-alarms.ts";
import type { Alarm } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";

/** Asks why an alarm stands open, or was closed. */
export function WhyButton(props: {
  readonly alarm: Alarm;
  readonly asked: Signal<Alarm | null>;
}): JSX.Element {
  const { alarm, asked } = props;
  return (
    <button type="button" class="button quiet" onClick={() => (asked.value = alarm)}>
      {t("why")}{" "}
      <span class="hidden">
        {alarmText(alarm.title)} {alarm.name}
      </span>
    </button>
  );
}
