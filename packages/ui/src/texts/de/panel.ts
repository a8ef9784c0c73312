import type { panel as english } from "../en/panel.ts";
import type { Translated } from "../text.ts";

/** The texts of the panel on a wall, in German. */
export const panel: Translated<typeof english> = {
  "panel.title": "Panel an der Wand",
  "panel.how":
    "Ein Panel füllt den Bildschirm mit einem Raum oder dem ganzen Zuhause. Nach einer Minute ohne Berührung wird es dunkel, bei einem Alarm wacht es auf. Dieser Browser bleibt ein Panel, auch neu geöffnet, bis jemand es verlässt.",
  "panel.shows": "Was es zeigt",
  "panel.whole": "Das ganze Zuhause",
  "panel.pin": "PIN zum Verlassen, wenn Sie eine möchten",
  "panel.pinHow": "4 bis 8 Ziffern. Sie hält Vorbeigehende von den anderen Seiten fern.",
  "panel.badPin": "Eine PIN hat 4 bis 8 Ziffern.",
  "panel.guest":
    "Dieser Browser ist mit Ihrem eigenen Schlüssel drin. Lassen Sie ein Tablet an der Wand unter Personen als Panel ein: dann öffnet sein Schlüssel nicht mehr, als ein Gast darf.",
  "panel.start": "Panel zeigen",
  "panel.gone": "Diesen Raum gibt es nicht mehr.",
  "panel.goneHow": "Verlassen Sie das Panel und wählen Sie einen anderen Raum.",
  "panel.empty": "Hier ist nichts.",
  "panel.emptyHow": "Geräte, die in diesen Raum gestellt werden, erscheinen hier von selbst.",
  "panel.leave": "Panel verlassen",
  "panel.pinField": "PIN",
  "panel.wrongPin": "Das ist nicht die PIN.",
  "panel.pause": "Zu viele falsche. Versuchen Sie es in {s} s wieder.",
  "panel.forgotten":
    "Kennt niemand die PIN? Sperren Sie dieses Gerät in einem anderen Browser unter Personen aus und lassen Sie es wieder ein.",
  "panel.rests": "Das Panel ruht",
  "panel.wake": "Zum Fortfahren berühren",
};
