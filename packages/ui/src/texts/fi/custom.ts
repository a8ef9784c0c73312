import type { custom as english } from "../en/custom.ts";
import type { Translated } from "../text.ts";

/** The texts of custom rules and of drawings of machines, in Finnish. */
export const custom: Translated<typeof english> = {
  "custom.title": "Omat säännöt",
  "custom.how":
    "Oma sääntö on itse tehty sääntötyyppi: tilakone, joka on kirjoitettu tietona. Keskus tarkistaa sen, ajaa sen testit ja kokeilee sitä viime viikolla ennen asennusta.",
  "custom.none": "Yhtään ei ole asennettu.",
  "custom.version": "Versio {version}, {time}",
  "custom.rules": { one: "{n} sääntö", other: "{n} sääntöä" },
  "custom.new": "Aloita esimerkistä",
  "custom.follow": "Lamput seuraavat toista",
  "custom.linger": "Lamput palavat vielä hetken",
  "custom.source": "Lähdekoodi",
  "custom.line": "Rivi {line}",
  "custom.check": "Tarkista ja kokeile",
  "custom.install": "Asenna",
  "custom.installed": "{type} on asennettu",
  "custom.trying": "Keskus tarkistaa ja kokeilee lähdekoodia.",
  "custom.tests": { one: "Sen testi menee läpi.", other: "Kaikki {n} testiä menevät läpi." },
  "custom.noTests": "Sillä ei ole testejä.",
  "custom.noDevices": "Kodissa ei ole laitteita, joilla kokeilla.",
  "custom.commands": {
    one: "{n} komento, enintään {most} minuutissa.",
    other: "{n} komentoa, enintään {most} minuutissa.",
  },
  "custom.stopped": "Keskus olisi pysäyttänyt sen: {time}",
  "custom.doings": "Mitä sen säännöt tekevät",
  "custom.noRules": "Tätä tyyppiä ei ole vielä missään säännössä.",
  "custom.rule": "Sääntö",
  "custom.log": "Loki",
  "custom.refresh": "Päivitä",
  "custom.silent": "Se ei ole vielä tehnyt eikä sanonut mitään.",
  "diagram.title": "Miten se toimii",
  "diagram.live": "Missä se on nyt",
  "diagram.after": "{time} kuluttua",
  "diagram.inWords": "Sama sanoin",
  "diagram.current": "Nyt tilassa: {states}",
};
