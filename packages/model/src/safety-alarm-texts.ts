/**
 * Alarms of rules for safety and care, by kind, as in `ruleAlarmKinds`. `{room}` is a dash for a device in no
 * room.
 */
export const safetyAlarmKinds = {
  LEAK: {
    level: "err",
    title: {
      en: "Water leak",
      fi: "Vesivuoto",
      sv: "Vattenläcka",
      de: "Wasserleck",
    },
    message: {
      en: "{name} is wet. Room: {room}. Close the alarm when you have seen to it.",
      fi: "{name} on märkä. Huone: {room}. Sulje hälytys, kun olet hoitanut asian.",
      sv: "{name} är våt. Rum: {room}. Stäng larmet när du har tagit hand om det.",
      de: "{name} ist nass. Raum: {room}. Schließen Sie den Alarm, wenn Sie sich darum gekümmert haben.",
    },
  },
  VALVE_STUCK: {
    level: "err",
    title: {
      en: "A valve does not close",
      fi: "Venttiili ei sulkeudu",
      sv: "En ventil stängs inte",
      de: "Ein Ventil schließt nicht",
    },
    message: {
      en: "{name} was told to close and has not confirmed it. Room: {room}. Close it by hand; the command is repeated until it does.",
      fi: "{name} sai käskyn sulkeutua, mutta ei ole kuitannut sitä. Huone: {room}. Sulje se käsin; käskyä toistetaan, kunnes se sulkeutuu.",
      sv: "{name} har fått order att stängas men har inte bekräftat det. Rum: {room}. Stäng den för hand; ordern upprepas tills den stängs.",
      de: "{name} sollte schließen und hat es nicht bestätigt. Raum: {room}. Schließen Sie es von Hand; der Befehl wird wiederholt, bis es schließt.",
    },
  },
  SMOKE: {
    level: "err",
    title: {
      en: "Smoke",
      fi: "Savua",
      sv: "Rök",
      de: "Rauch",
    },
    message: {
      en: "{name} has detected smoke. Room: {room}.",
      fi: "{name} on havainnut savua. Huone: {room}.",
      sv: "{name} har upptäckt rök. Rum: {room}.",
      de: "{name} hat Rauch erkannt. Raum: {room}.",
    },
  },
  CARBON_MONOXIDE: {
    level: "err",
    title: {
      en: "Carbon monoxide",
      fi: "Häkää",
      sv: "Kolmonoxid",
      de: "Kohlenmonoxid",
    },
    message: {
      en: "{name} has detected carbon monoxide. Room: {room}. Go outside and air the rooms.",
      fi: "{name} on havainnut häkää. Huone: {room}. Mene ulos ja tuuleta huoneet.",
      sv: "{name} har upptäckt kolmonoxid. Rum: {room}. Gå ut och vädra rummen.",
      de: "{name} hat Kohlenmonoxid erkannt. Raum: {room}. Gehen Sie ins Freie und lüften Sie die Räume.",
    },
  },
  HEAT: {
    level: "err",
    title: {
      en: "Dangerous heat",
      fi: "Vaarallinen kuumuus",
      sv: "Farlig hetta",
      de: "Gefährliche Hitze",
    },
    message: {
      en: "{name} has detected dangerous heat. Room: {room}.",
      fi: "{name} on havainnut vaarallista kuumuutta. Huone: {room}.",
      sv: "{name} har upptäckt farlig hetta. Rum: {room}.",
      de: "{name} hat gefährliche Hitze erkannt. Raum: {room}.",
    },
  },
  TOO_COLD: {
    level: "warn",
    title: {
      en: "Too cold",
      fi: "Liian kylmä",
      sv: "För kallt",
      de: "Zu kalt",
    },
    message: {
      en: "{name} shows {temperature} °C, which is below {limit} °C. Room: {room}. The alarm closes when it is warmer.",
      fi: "{name} näyttää {temperature} °C, mikä on alle {limit} °C. Huone: {room}. Hälytys sulkeutuu, kun on lämpimämpää.",
      sv: "{name} visar {temperature} °C, vilket är under {limit} °C. Rum: {room}. Larmet stängs när det är varmare.",
      de: "{name} zeigt {temperature} °C, das ist unter {limit} °C. Raum: {room}. Der Alarm schließt sich, wenn es wärmer ist.",
    },
  },
  TOO_HOT: {
    level: "warn",
    title: {
      en: "Too hot",
      fi: "Liian kuuma",
      sv: "För varmt",
      de: "Zu heiß",
    },
    message: {
      en: "{name} shows {temperature} °C, which is above {limit} °C. Room: {room}. The alarm closes when it is cooler.",
      fi: "{name} näyttää {temperature} °C, mikä on yli {limit} °C. Huone: {room}. Hälytys sulkeutuu, kun on viileämpää.",
      sv: "{name} visar {temperature} °C, vilket är över {limit} °C. Rum: {room}. Larmet stängs när det är svalare.",
      de: "{name} zeigt {temperature} °C, das ist über {limit} °C. Raum: {room}. Der Alarm schließt sich, wenn es kühler ist.",
    },
  },
  DOOR_LEFT_OPEN: {
    level: "warn",
    title: {
      en: "A door is open",
      fi: "Ovi on auki",
      sv: "En dörr står öppen",
      de: "Eine Tür steht offen",
    },
    message: {
      en: "{name} has been open for {minutes} minutes. Room: {room}. The alarm closes when it is closed.",
      fi: "{name} on ollut auki {minutes} minuuttia. Huone: {room}. Hälytys sulkeutuu, kun se suljetaan.",
      sv: "{name} har stått öppen i {minutes} minuter. Rum: {room}. Larmet stängs när den stängs.",
      de: "{name} steht seit {minutes} Minuten offen. Raum: {room}. Der Alarm schließt sich, wenn sie geschlossen wird.",
    },
  },
  INTRUSION: {
    level: "err",
    title: {
      en: "Intrusion",
      fi: "Tunkeutuminen",
      sv: "Intrång",
      de: "Einbruch",
    },
    message: {
      en: "{name} noticed somebody while the alarm was set. Room: {room}.",
      fi: "{name} havaitsi jonkun, kun hälytin oli päällä. Huone: {room}.",
      sv: "{name} upptäckte någon medan larmet var på. Rum: {room}.",
      de: "{name} hat jemanden bemerkt, während die Anlage scharf war. Raum: {room}.",
    },
  },
  EMERGENCY: {
    level: "err",
    title: {
      en: "Emergency call",
      fi: "Hätäkutsu",
      sv: "Nödanrop",
      de: "Notruf",
    },
    message: {
      en: "{name} was pressed: somebody needs help. Room: {room}. The call is repeated until somebody closes this alarm.",
      fi: "{name} on painettu: joku tarvitsee apua. Huone: {room}. Kutsu toistetaan, kunnes joku sulkee tämän hälytyksen.",
      sv: "{name} har tryckts in: någon behöver hjälp. Rum: {room}. Anropet upprepas tills någon stänger detta larm.",
      de: "{name} wurde gedrückt: Jemand braucht Hilfe. Raum: {room}. Der Ruf wird wiederholt, bis jemand diesen Alarm schließt.",
    },
  },
  BATTERY_LOW: {
    level: "warn",
    title: {
      en: "A battery is low",
      fi: "Paristo on vähissä",
      sv: "Ett batteri är svagt",
      de: "Eine Batterie ist schwach",
    },
    message: {
      en: "The battery of {name} is low. Room: {room}. The alarm closes when it has been changed.",
      fi: "Laitteen {name} paristo on vähissä. Huone: {room}. Hälytys sulkeutuu, kun se on vaihdettu.",
      sv: "Batteriet i {name} är svagt. Rum: {room}. Larmet stängs när det har bytts.",
      de: "Die Batterie von {name} ist schwach. Raum: {room}. Der Alarm schließt sich, wenn sie gewechselt ist.",
    },
  },
  DEVICE_OFFLINE: {
    level: "warn",
    title: {
      en: "A device has been silent for long",
      fi: "Laite on ollut pitkään vaiti",
      sv: "En enhet har varit tyst länge",
      de: "Ein Gerät schweigt seit Längerem",
    },
    message: {
      en: "{name} has been out of reach for {minutes} minutes. Room: {room}. The alarm closes when it answers again.",
      fi: "Laitteeseen {name} ei ole saatu yhteyttä {minutes} minuuttiin. Huone: {room}. Hälytys sulkeutuu, kun se vastaa taas.",
      sv: "{name} har inte gått att nå på {minutes} minuter. Rum: {room}. Larmet stängs när den svarar igen.",
      de: "{name} ist seit {minutes} Minuten nicht erreichbar. Raum: {room}. Der Alarm schließt sich, wenn es wieder antwortet.",
    },
  },
  RADIO_OFFLINE: {
    level: "warn",
    title: {
      en: "Many devices of one radio are silent",
      fi: "Monta saman radion laitetta on vaiti",
      sv: "Många enheter på en radio är tysta",
      de: "Viele Geräte eines Funkmoduls schweigen",
    },
    message: {
      en: "{gone} of {devices} devices on {name} have been out of reach for {minutes} minutes: the cause is likely what they share.",
      fi: "Yhteyden {name} laitteista ({devices}) ei ole tavoitettu {gone} laitetta {minutes} minuuttiin: syy on todennäköisesti niiden yhteisessä yhteydessä.",
      sv: "{gone} av {devices} enheter på {name} har inte gått att nå på {minutes} minuter: orsaken är troligen det som de delar.",
      de: "{gone} von {devices} Geräten an {name} sind seit {minutes} Minuten nicht erreichbar: Die Ursache ist vermutlich, was sie teilen.",
    },
  },
  LOCK_FAILED: {
    level: "warn",
    title: {
      en: "A lock does not lock",
      fi: "Lukko ei lukitu",
      sv: "Ett lås låser inte",
      de: "Ein Schloss schließt nicht ab",
    },
    message: {
      en: "{name} was told to lock {times} times and has not confirmed it. Room: {room}. Lock it by hand.",
      fi: "{name} sai {times} kertaa käskyn lukittua, mutta ei ole kuitannut sitä. Huone: {room}. Lukitse se käsin.",
      sv: "{name} har fått order att låsa {times} gånger men har inte bekräftat det. Rum: {room}. Lås för hand.",
      de: "{name} sollte {times}-mal abschließen und hat es nicht bestätigt. Raum: {room}. Schließen Sie von Hand ab.",
    },
  },
  DOOR_CHIME: {
    level: "info",
    title: {
      en: "Somebody is at the door",
      fi: "Joku on ovella",
      sv: "Någon är vid dörren",
      de: "Jemand ist an der Tür",
    },
    message: {
      en: "{name} has rung. Room: {room}.",
      fi: "{name} on soinut. Huone: {room}.",
      sv: "{name} har ringt. Rum: {room}.",
      de: "{name} hat geklingelt. Raum: {room}.",
    },
  },
  INACTIVITY: {
    level: "warn",
    title: {
      en: "No sign of activity",
      fi: "Ei merkkejä toiminnasta",
      sv: "Inga tecken på aktivitet",
      de: "Kein Lebenszeichen",
    },
    message: {
      en: "The rule {rule} has seen no activity for {minutes} minutes. See whether all is well. The alarm closes when something moves.",
      fi: "Sääntö {rule} ei ole havainnut mitään toimintaa {minutes} minuuttiin. Tarkista, että kaikki on hyvin. Hälytys sulkeutuu, kun jotain liikkuu.",
      sv: "Regeln {rule} har inte märkt någon aktivitet på {minutes} minuter. Se efter att allt är bra. Larmet stängs när något rör sig.",
      de: "Die Regel {rule} hat seit {minutes} Minuten keine Regung bemerkt. Sehen Sie nach, ob alles in Ordnung ist. Der Alarm schließt sich, wenn sich etwas rührt.",
    },
  },
} as const;
