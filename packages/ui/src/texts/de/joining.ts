import type { joining as english } from "../en/joining.ts";
import type { Translated } from "../text.ts";

/** The texts about devices that more than a search brings in, and about what they show besides, in German. */
export const joining: Translated<typeof english> = {
  "camera.title": "IP-Kamera",
  "camera.how": "Eine Kamera, die ONVIF spricht, über ihre Adresse und ein Login an der Kamera.",
  "camera.begin": "Kamera hinzufügen",
  "camera.first":
    "Schalten Sie ONVIF in den Einstellungen der Kamera ein und legen Sie dort einen Benutzer für den Hub an.",
  "camera.address": "Adresse der Kamera",
  "camera.addressHow": "Etwa 192.168.1.20, oder mit Port 192.168.1.20:8080.",
  "camera.badAddress": "Schreiben Sie eine Adresse des lokalen Netzes, etwa 192.168.1.20.",
  "camera.username": "Benutzername an der Kamera",
  "camera.loginHow": "Manche Kameras haben eigene Benutzer für ONVIF.",
  "camera.ask": "Kamera fragen",
  "camera.asking": "Der Hub fragt die Kamera.",
  "camera.found": "{name} hat geantwortet und nimmt das Login an.",
  "camera.known": "{name} gehört schon zum Haus. Adresse und Login sind übernommen.",
  "camera.inSearch": "Eine Kamera verlangt ein Login",
  "cameraHelp.10": "Schalten Sie ONVIF in der Kamera ein oder nennen Sie ihren Port.",
  "cameraHelp.11": "Manche Kameras haben eigene Benutzer für ONVIF.",
  "cameraHelp.12": "Ist sie an und in diesem Netz?",
  "cameraHelp.13": "Nennen Sie ihren Port, etwa 192.168.1.20:8080.",
  "cameraHelp.14": "Entfernen Sie die frühere Kamera, oder fügen Sie diese unter ihrer neuen Adresse hinzu.",
  "camera.login": "Login an der Kamera",
  "camera.loginSet": "Der Hub meldet sich damit jetzt bei {name} an",
  "camera.loginWrong": "Die Kamera nimmt dieses Login nicht an.",
  "hue.title": "Lichtbrücke",
  "hue.how": "Eine Hue Bridge mit Lampen, Räumen und Szenen. Jemand drückt ihre Taste.",
  "hue.begin": "Bridge suchen",
  "hue.again": "Noch einmal suchen",
  "hue.here": "Die Bridge und alles an ihr gehört zum Haus.",
  "bridge.looks": "Der Hub sucht Bridges in seinem Netz.",
  "bridge.waits": "Drücken Sie innerhalb von 30 Sekunden die runde Taste der Bridge.",
  "bridge.over": "Niemand hat die Taste rechtzeitig gedrückt. Suchen Sie noch einmal.",
  "bridge.none": "Keine Bridge antwortet. Ist sie an und in diesem Netz?",
  "codes.newkaku":
    "Lassen Sie es erst lernen: einstecken, oder die Taste halten, bis es blinkt. Dann sendet der Hub einen neuen Code.",
  "codes.rts":
    "Halten Sie die Programmiertaste der eigenen Fernbedienung, bis sich der Behang bewegt. Dann wird der Hub eine weitere Fernbedienung.",
  "codes.heard":
    "Beginnen Sie, und drücken Sie dann binnen einer Minute eine Taste der Fernbedienung, oder lassen Sie es senden. Der Hub lernt den Code.",
  "codesNow.newkaku":
    "Der Hub hat {name} einen neuen Code gesendet. Hat es ihn nicht gelernt, hören Sie auf, lassen es erneut lernen und beginnen neu.",
  "codesNow.rts":
    "Der Hub hat {name} als neue Fernbedienung angesprochen. Hat es sich nicht bewegt, hören Sie auf und beginnen neu.",
  "codesNow.heard":
    "{name}: Drücken Sie jetzt eine Taste der Fernbedienung, oder lassen Sie es senden. Der Hub horcht eine Minute.",
  "place.settings": "Einstellungen und Schlüssel von {name}",
  "extras.title": "Weitere Werte",
  "extras.send": "Senden",
  "extras.sendOf": "{name} senden",
  "extras.wrong": "Das Gerät nimmt diesen Wert nicht.",
  "attribute.targetTemp": "Sollwert",
  "attribute.connectionState": "Verbindung",
  "link.CONNECTED": "Verbunden",
  "link.DISCONNECTED": "Nicht verbunden",
  "link.CREDENTIALS": "Sie lehnt das Login ab",
  "link.WRONG_CAMERA": "Dort antwortet eine andere Kamera",
  "control.player": "Wiedergabe",
  "player.PREVIOUS": "Zurück",
  "player.PLAY": "Abspielen",
  "player.PAUSE": "Pause",
  "player.STOP": "Stopp",
  "player.NEXT": "Weiter",
};
