import type { Language } from "@ledge/model";
import type { TemplateTexts } from "../../catalogue/template.ts";

/** The texts of the fields that templates of `watching` share. */
export const watchingTexts: Readonly<Record<Language, TemplateTexts["fields"]>> = {
  en: {
    watched: ["Devices", "What is watched, by the value named below"],
    targets: ["What is switched", "What goes on while it is so, and off afterwards"],
    match: ["Any or all", "Whether one of the devices is enough"],
    forMs: ["For how long", "How long it must be so before the rule acts"],
    invert: ["The other way round", "Off while it is so, and on afterwards"],
    scene: ["Scene", "What goes on when the rule acts"],
    attribute: ["Value", "The attribute that counts, such as humidity or extras.x_axis"],
  },
  fi: {
    watched: ["Laitteet", "Mitä valvotaan alla nimetyn arvon mukaan"],
    targets: ["Mitä kytketään", "Mikä on päällä niin kauan ja sammuu sitten"],
    match: ["Jokin tai kaikki", "Riittääkö, että yksi laitteista täyttää ehdon"],
    forMs: ["Kuinka kauan", "Kuinka kauan ehdon on täytyttävä ennen kuin sääntö toimii"],
    invert: ["Toisin päin", "Pois päältä niin kauan ja sitten päälle"],
    scene: ["Tilanne", "Mikä kytkeytyy, kun sääntö toimii"],
    attribute: ["Arvo", "Ratkaiseva ominaisuus, kuten humidity tai extras.x_axis"],
  },
  sv: {
    watched: ["Enheter", "Det som bevakas, efter värdet som anges nedan"],
    targets: ["Det som kopplas", "Det som är på så länge och sedan stängs av"],
    match: ["Någon eller alla", "Om det räcker med en av enheterna"],
    forMs: ["Hur länge", "Hur länge det måste vara så innan regeln agerar"],
    invert: ["Tvärtom", "Av så länge och sedan på"],
    scene: ["Scen", "Det som slås på när regeln agerar"],
    attribute: ["Värde", "Egenskapen som räknas, till exempel humidity eller extras.x_axis"],
  },
  de: {
    watched: ["Geräte", "Was beobachtet wird, nach dem unten genannten Wert"],
    targets: ["Was geschaltet wird", "Was so lange an ist und danach ausgeht"],
    match: ["Eines oder alle", "Ob eines der Geräte genügt"],
    forMs: ["Wie lange", "Wie lange es so sein muss, bevor die Regel handelt"],
    invert: ["Umgekehrt", "Aus, solange es so ist, und danach an"],
    scene: ["Szene", "Was angeht, wenn die Regel handelt"],
    attribute: ["Wert", "Welche Eigenschaft zählt, etwa humidity oder extras.x_axis"],
  },
};
