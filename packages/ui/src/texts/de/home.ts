import type { home as english } from "../en/home.ts";
import type { Translated } from "../text.ts";

/** The texts of the home, its rooms and alarms, in German. */
export const home: Translated<typeof english> = {
  "summary.setTo": "Soll {value}",
  "summary.openBy": "{value} offen",
  "home.scenes": "Szenen",
  "home.editScenes": "Szenen bearbeiten",
  "home.noRoom": "Ohne Raum",
  "home.empty": "Es gibt noch keine Geräte.",
  "home.emptyHow": "Sobald der Hub welche gefunden hat, sind sie hier.",
  "home.alarms": { one: "{n} offener Alarm", other: "{n} offene Alarme" },
  "home.open": "{name} zeigen",
  "favourite.one": "Favorit",
  "favourite.all": "Favoriten",
  "favourite.made": "{name} ist jetzt ein Favorit",
  "favourite.gone": "{name} ist kein Favorit mehr",
  "rooms.title": "Ihre Geräte sind noch in keinen Räumen",
  "rooms.how": "Ihre Namen legen diese Räume nahe. Wählen Sie aus, welche Sie möchten.",
  "rooms.none":
    "Ihre Namen legen keine Räume nahe. Jedes Gerät lässt sich auf seiner Seite in einen Raum stellen.",
  "rooms.count": { one: "{n} Gerät", other: "{n} Geräte" },
  "rooms.apply": "Diese Räume anlegen",
  "rooms.made": "Die Räume sind angelegt",
  "alarms.title": "Alarme",
  "alarms.none": "Kein Alarm ist offen.",
  "alarms.close": "Alarm schließen",
  "alarms.closed": "Der Alarm ist geschlossen",
  "alarms.closeAll": "Alle {n} schließen: {title}",
  "alarms.closedAll": "{n} Alarme sind geschlossen",
  "alarms.several": "Mehrere einer Art",
  "alarms.more": { one: "{n} weiteren Alarm zeigen", other: "{n} weitere Alarme zeigen" },
  "alarms.why": "Warum dieser Alarm: {title}?",
  "alarms.whyClosed": "Warum wurde er geschlossen: {title}?",
  "alarms.ofHub": "Der Hub {name}",
  "alarms.notices": "Hinweise",
  "alarms.closedLast": { one: "{n} geschlossener Alarm", other: "{n} geschlossene Alarme" },
  "presence.say": "Dieses Gerät sagt, dass ich zu Hause bin",
  "presence.how":
    "Solange diese Seite hier zu sehen ist, im Netz des Hauses, gelten Sie in Regeln über Kommen und Gehen als zu Hause, und noch eine Weile danach. Eine geschlossene oder verdeckte Seite sagt nichts: mit dem Telefon in der Tasche gelten Sie dann als fort.",
  "presence.after": "Gilt als fort nach einer Stille von",
  "presence.afterSet": "Nach {time} Stille gelten Sie als fort",
};
