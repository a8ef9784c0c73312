import type { Texts } from "./language.ts";

/** Troubles of a hub by code. `{of}` is a protocol or a file. */
export const hubTroubleTexts = {
  NOT_SERVING: {
    level: "error",
    text: {
      en: "The hub has stopped working.",
      fi: "Keskitin on lakannut toimimasta.",
      sv: "Hubben har slutat fungera.",
      de: "Der Hub arbeitet nicht mehr.",
    },
    remedy: {
      en: "Restart the hub. If it happens again, run “ledge doctor” at the hub.",
      fi: "Käynnistä keskitin uudelleen. Jos vika toistuu, aja keskittimellä ”ledge doctor”.",
      sv: "Starta om hubben. Händer det igen, kör ”ledge doctor” på hubben.",
      de: "Starten Sie den Hub neu. Geschieht es wieder, führen Sie am Hub „ledge doctor“ aus.",
    },
  },
  READ_ONLY: {
    level: "error",
    text: {
      en: "The disk is full: the hub records nothing and takes no changes.",
      fi: "Levy on täynnä: keskitin ei tallenna mitään eikä ota vastaan muutoksia.",
      sv: "Disken är full: hubben sparar inget och tar inte emot ändringar.",
      de: "Der Datenträger ist voll: Der Hub zeichnet nichts auf und nimmt keine Änderungen an.",
    },
    remedy: {
      en: "Make room on the disk. The hub goes on by itself.",
      fi: "Vapauta levytilaa. Keskitin jatkaa itsestään.",
      sv: "Frigör plats på disken. Hubben fortsätter av sig själv.",
      de: "Schaffen Sie Platz auf dem Datenträger. Der Hub macht von selbst weiter.",
    },
  },
  SAFE_MODE: {
    level: "error",
    text: {
      en: "The hub is in safe mode: it cannot apply an event of its log, and shows the home from before it.",
      fi: "Keskitin on vikasietotilassa: se ei voi käyttää erästä lokinsa tapahtumaa ja näyttää kodin sitä ennen.",
      sv: "Hubben är i säkert läge: den kan inte tillämpa en händelse i loggen och visar hemmet före den.",
      de: "Der Hub ist im abgesicherten Modus: Er kann ein Ereignis seines Logs nicht anwenden und zeigt das Zuhause davor.",
    },
    remedy: {
      en: "Install a newer release, or restore a backup from before the event.",
      fi: "Asenna uudempi versio tai palauta tapahtumaa vanhempi varmuuskopio.",
      sv: "Installera en nyare version eller återställ en säkerhetskopia från före händelsen.",
      de: "Installieren Sie eine neuere Version oder stellen Sie eine Sicherung von davor wieder her.",
    },
  },
  RESCUE: {
    level: "error",
    text: {
      en: "The log is damaged: the hub shows what can still be read, and takes no changes.",
      fi: "Loki on vioittunut: keskitin näyttää sen, mitä voi vielä lukea, eikä ota vastaan muutoksia.",
      sv: "Loggen är skadad: hubben visar det som går att läsa och tar inte emot ändringar.",
      de: "Das Log ist beschädigt: Der Hub zeigt, was noch lesbar ist, und nimmt keine Änderungen an.",
    },
    remedy: {
      en: "Stop the hub and run “ledge doctor --repair” there, or restore a backup.",
      fi: "Pysäytä keskitin ja aja siellä ”ledge doctor --repair”, tai palauta varmuuskopio.",
      sv: "Stoppa hubben och kör ”ledge doctor --repair” där, eller återställ en säkerhetskopia.",
      de: "Halten Sie den Hub an und führen Sie dort „ledge doctor --repair“ aus, oder stellen Sie eine Sicherung wieder her.",
    },
  },
  FILE_LOST: {
    level: "error",
    text: {
      en: "The file {of} of the hub is lost or damaged.",
      fi: "Keskittimen tiedosto {of} puuttuu tai on vioittunut.",
      sv: "Hubbens fil {of} saknas eller är skadad.",
      de: "Die Datei {of} des Hubs fehlt oder ist beschädigt.",
    },
    remedy: {
      en: "Put the file back and restart the hub, or restore a backup.",
      fi: "Palauta tiedosto ja käynnistä keskitin uudelleen, tai palauta varmuuskopio.",
      sv: "Lägg tillbaka filen och starta om hubben, eller återställ en säkerhetskopia.",
      de: "Legen Sie die Datei zurück und starten Sie den Hub neu, oder stellen Sie eine Sicherung wieder her.",
    },
  },
  DISK_LOW: {
    level: "warn",
    text: {
      en: "The disk is almost full.",
      fi: "Levy on lähes täynnä.",
      sv: "Disken är nästan full.",
      de: "Der Datenträger ist fast voll.",
    },
    remedy: {
      en: "Make room on the disk before the hub has to stop recording.",
      fi: "Vapauta levytilaa ennen kuin keskittimen on lopetettava tallennus.",
      sv: "Frigör plats på disken innan hubben måste sluta spara.",
      de: "Schaffen Sie Platz, bevor der Hub nichts mehr aufzeichnen kann.",
    },
  },
  LOG_OVER_QUOTA: {
    level: "warn",
    text: {
      en: "The log takes more room than the hub allows it, and nothing in it may be pruned.",
      fi: "Loki vie enemmän tilaa kuin keskitin sille sallii, eikä siitä voi poistaa mitään.",
      sv: "Loggen tar mer plats än hubben tillåter, och inget i den får rensas.",
      de: "Das Log braucht mehr Platz, als der Hub ihm gibt, und nichts darin darf gelöscht werden.",
    },
    remedy: {
      en: "Raise the quota of the log in the profile, or remove what fills it, such as a rule that says much.",
      fi: "Nosta lokin kiintiötä profiilissa tai poista se, mikä täyttää lokia, kuten paljon kirjaava sääntö.",
      sv: "Höj loggens kvot i profilen, eller ta bort det som fyller den, till exempel en regel som säger mycket.",
      de: "Erhöhen Sie die Grenze des Logs im Profil, oder entfernen Sie, was es füllt, etwa eine Regel, die viel meldet.",
    },
  },
  HISTORY_FAILED: {
    level: "warn",
    text: {
      en: "The index of the history cannot be built: plots take longer.",
      fi: "Historian hakemistoa ei voi rakentaa: kuvaajat ovat hitaampia.",
      sv: "Historikens index kan inte byggas: diagram tar längre tid.",
      de: "Der Index des Verlaufs lässt sich nicht bauen: Diagramme dauern länger.",
    },
    remedy: {
      en: "Restart the hub: it builds the index anew from its log.",
      fi: "Käynnistä keskitin uudelleen: se rakentaa hakemiston uudelleen lokistaan.",
      sv: "Starta om hubben: den bygger indexet på nytt ur sin logg.",
      de: "Starten Sie den Hub neu: Er baut den Index aus seinem Log neu.",
    },
  },
  MEMORY_LOW: {
    level: "warn",
    text: {
      en: "The machine has hardly any memory left.",
      fi: "Laitteessa on tuskin lainkaan muistia jäljellä.",
      sv: "Maskinen har knappt något minne kvar.",
      de: "Die Maschine hat kaum noch Arbeitsspeicher.",
    },
    remedy: {
      en: "End other programs on it, or turn off adapters that nothing uses.",
      fi: "Lopeta sen muita ohjelmia tai poista käytöstä tarpeettomat sovittimet.",
      sv: "Avsluta andra program på den, eller stäng av adaptrar som inget använder.",
      de: "Beenden Sie andere Programme darauf, oder schalten Sie ungenutzte Adapter ab.",
    },
  },
  CLOCK_NOT_TRUSTED: {
    level: "warn",
    text: {
      en: "The hub does not trust its clock: schedules wait.",
      fi: "Keskitin ei luota kelloonsa: aikataulut odottavat.",
      sv: "Hubben litar inte på sin klocka: scheman väntar.",
      de: "Der Hub traut seiner Uhr nicht: Zeitpläne warten.",
    },
    remedy: {
      en: "Connect the hub to the internet, so that it learns the time, or set the clock of the machine.",
      fi: "Yhdistä keskitin internetiin, jotta se saa ajan, tai aseta laitteen kello.",
      sv: "Anslut hubben till internet så att den får tiden, eller ställ maskinens klocka.",
      de: "Verbinden Sie den Hub mit dem Internet, damit er die Zeit erfährt, oder stellen Sie die Uhr der Maschine.",
    },
  },
  RADIO_GONE: {
    level: "error",
    text: {
      en: "The stick of {of} is not plugged in.",
      fi: "Protokollan {of} tikku ei ole kytkettynä.",
      sv: "Stickan för {of} är inte ansluten.",
      de: "Der Stick für {of} ist nicht eingesteckt.",
    },
    remedy: {
      en: "Plug it in again. The hub finds it by itself, in any port.",
      fi: "Kytke se uudelleen. Keskitin löytää sen itse mistä tahansa portista.",
      sv: "Anslut den igen. Hubben hittar den själv, i vilken port som helst.",
      de: "Stecken Sie ihn wieder ein. Der Hub findet ihn von selbst, an jedem Anschluss.",
    },
  },
  ADAPTER_RESTING: {
    level: "error",
    text: {
      en: "The adapter of {of} has failed too often and rests. Its devices cannot be reached.",
      fi: "Protokollan {of} sovitin on vikaantunut liian usein ja lepää. Sen laitteisiin ei saa yhteyttä.",
      sv: "Adaptern för {of} har felat för ofta och vilar. Dess enheter går inte att nå.",
      de: "Der Adapter für {of} ist zu oft ausgefallen und ruht. Seine Geräte sind nicht erreichbar.",
    },
    remedy: {
      en: "Mend what the reason names, then restart the hub.",
      fi: "Korjaa syyssä mainittu vika ja käynnistä keskitin uudelleen.",
      sv: "Åtgärda det som orsaken nämner och starta sedan om hubben.",
      de: "Beheben Sie den genannten Grund, und starten Sie dann den Hub neu.",
    },
  },
  ADAPTER_RESTARTING: {
    level: "warn",
    text: {
      en: "The adapter of {of} has failed and is about to start again.",
      fi: "Protokollan {of} sovitin on vikaantunut ja käynnistyy pian uudelleen.",
      sv: "Adaptern för {of} har felat och startar snart igen.",
      de: "Der Adapter für {of} ist ausgefallen und startet gleich wieder.",
    },
    remedy: {
      en: "Wait a minute. If it stays, look at the cable, the power and the reason below.",
      fi: "Odota hetki. Jos vika jää, tarkista johto, virta ja alla oleva syy.",
      sv: "Vänta en minut. Om det kvarstår, kontrollera kabel, ström och orsaken nedan.",
      de: "Warten Sie eine Minute. Bleibt es so, prüfen Sie Kabel, Strom und den Grund darunter.",
    },
  },
  CLOUD_AWAY: {
    level: "warn",
    text: {
      en: "The hub is not connected to its cloud: nobody reaches the home from outside.",
      fi: "Keskitin ei ole yhteydessä pilveensä: kotiin ei pääse ulkoa.",
      sv: "Hubben är inte ansluten till sitt moln: ingen når hemmet utifrån.",
      de: "Der Hub ist nicht mit seiner Cloud verbunden: Von außen ist das Zuhause nicht erreichbar.",
    },
    remedy: {
      en: "Check the internet connection of the home. The hub tries again by itself.",
      fi: "Tarkista kodin internetyhteys. Keskitin yrittää itse uudelleen.",
      sv: "Kontrollera hemmets internetanslutning. Hubben försöker igen av sig själv.",
      de: "Prüfen Sie den Internetzugang. Der Hub versucht es von selbst wieder.",
    },
  },
  CLONE: {
    level: "error",
    text: {
      en: "Another hub has the same identity.",
      fi: "Toisella keskittimellä on sama tunniste.",
      sv: "En annan hubb har samma identitet.",
      de: "Ein anderer Hub hat dieselbe Identität.",
    },
    remedy: {
      en: "Turn one of the two off, then run “ledge identity --newest --yes” at the one that stays.",
      fi: "Sammuta toinen niistä ja aja jäävällä ”ledge identity --newest --yes”.",
      sv: "Stäng av en av dem och kör ”ledge identity --newest --yes” på den som är kvar.",
      de: "Schalten Sie einen der beiden ab und führen Sie am anderen „ledge identity --newest --yes“ aus.",
    },
  },
  HTTPS_OFF: {
    level: "warn",
    text: {
      en: "The hub does not serve HTTPS: its address is open to readers on the network.",
      fi: "Keskitin ei tarjoa HTTPS-yhteyttä: liikennettä voi lukea verkossa.",
      sv: "Hubben erbjuder inte HTTPS: trafiken kan läsas i nätet.",
      de: "Der Hub bietet kein HTTPS: Der Verkehr ist im Netz lesbar.",
    },
    remedy: {
      en: "Mend what the reason names: a port in use, or a certificate that cannot be read.",
      fi: "Korjaa syyssä mainittu vika: varattu portti tai varmenne, jota ei voi lukea.",
      sv: "Åtgärda det som orsaken nämner: en upptagen port eller ett certifikat som inte går att läsa.",
      de: "Beheben Sie den genannten Grund: ein belegter Port oder ein unlesbares Zertifikat.",
    },
  },
  CERTIFICATE_EXPIRED: {
    level: "error",
    text: {
      en: "The certificate of HTTPS has expired: browsers refuse it.",
      fi: "HTTPS-varmenne on vanhentunut: selaimet hylkäävät sen.",
      sv: "HTTPS-certifikatet har gått ut: webbläsare avvisar det.",
      de: "Das Zertifikat von HTTPS ist abgelaufen: Browser lehnen es ab.",
    },
    remedy: {
      en: "Renew the certificate. The hub takes the new file by itself.",
      fi: "Uusi varmenne. Keskitin ottaa uuden tiedoston käyttöön itse.",
      sv: "Förnya certifikatet. Hubben tar den nya filen i bruk själv.",
      de: "Erneuern Sie das Zertifikat. Der Hub übernimmt die neue Datei von selbst.",
    },
  },
  CERTIFICATE_EXPIRING: {
    level: "warn",
    text: {
      en: "The certificate of HTTPS expires soon.",
      fi: "HTTPS-varmenne vanhenee pian.",
      sv: "HTTPS-certifikatet går snart ut.",
      de: "Das Zertifikat von HTTPS läuft bald ab.",
    },
    remedy: {
      en: "Renew the certificate. The hub takes the new file by itself.",
      fi: "Uusi varmenne. Keskitin ottaa uuden tiedoston käyttöön itse.",
      sv: "Förnya certifikatet. Hubben tar den nya filen i bruk själv.",
      de: "Erneuern Sie das Zertifikat. Der Hub übernimmt die neue Datei von selbst.",
    },
  },
} satisfies Readonly<
  Record<string, { readonly level: "error" | "warn"; readonly text: Texts; readonly remedy: Texts }>
>;

export type HubTroubleCode = keyof typeof hubTroubleTexts;
