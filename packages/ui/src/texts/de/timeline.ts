import type { timeline as english } from "../en/timeline.ts";
import type { Translated } from "../text.ts";

/** The texts of the timeline, in German. */
export const timeline: Translated<typeof english> = {
  "nav.timeline": "Verlauf",
  "past.readOnly": "Das Zuhause, wie es war. Nichts lässt sich schalten.",
  "past.back": "Zurück zu jetzt",
  "past.putNames": "Name und Raum wieder wie damals",
  "past.putSettings": "Einstellungen wieder wie damals",
  "past.putRule": "{name} wieder wie damals",
  "past.putBack": "{name} ist wie damals: {time}",
  "past.title": "Vergangenheit",
  "past.same": "{name} hat sich seitdem nicht geändert.",
  "timeline.slider": "Zeit",
  "timeline.span": "Zeitspanne",
  "timeline.1": "1 Stunde",
  "timeline.24": "1 Tag",
  "timeline.168": "7 Tage",
  "timeline.earlier": "Früher",
  "timeline.later": "Später",
  "timeline.how": "Bewege den Regler, um das Zuhause zu sehen, wie es war.",
  "timeline.denied": "Gäste sehen die Vergangenheit nicht.",
  "timeline.events": "Was geschah",
  "timeline.none": "Aus dieser Zeit ist nichts aufgezeichnet.",
  "timeline.counts": { one: "{n} Ereignis", other: "{n} Ereignisse" },
  "timeline.alarms": { one: "{n} Alarm", other: "{n} Alarme" },
};
