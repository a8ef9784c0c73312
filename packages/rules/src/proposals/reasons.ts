import type { Language, Texts } from "@ledge/model";
import { filledIn } from "@ledge/model";

/** The reasons for a proposal. `{name}` stands for a parameter. */
const texts = {
  "proposal.fits": {
    en: "The devices that it needs are there.",
    fi: "Sen tarvitsemat laitteet ovat jo olemassa.",
    sv: "Det som behövs finns redan.",
    de: "Was sie braucht, ist da.",
  },
  "proposal.chosen": {
    en: "It works with the chosen devices: {count}.",
    fi: "Se käyttää valittuja laitteita: {count}.",
    sv: "Den använder de valda enheterna: {count}.",
    de: "Sie arbeitet mit den gewählten Geräten: {count}.",
  },
  "proposal.room": {
    en: "All of it is in one room: {room}.",
    fi: "Kaikki on samassa huoneessa: {room}.",
    sv: "Allt finns i ett rum: {room}.",
    de: "Alles ist in einem Raum: {room}.",
  },
  "proposal.more": {
    en: "It can use optional devices: {fields}.",
    fi: "Löytyy myös sitä parantavaa: {fields}.",
    sv: "Det finns sådant som gör den bättre: {fields}.",
    de: "Es gibt, was sie besser macht: {fields}.",
  },
  "proposal.firings": {
    en: "In the last {days} days it would have acted: {count} times.",
    fi: "Viimeisten {days} päivän aikana se olisi toiminut: {count} kertaa.",
    sv: "De senaste {days} dagarna skulle den ha agerat: {count} gånger.",
    de: "In den letzten {days} Tagen hätte sie gehandelt: {count} Mal.",
  },
} as const satisfies Readonly<Record<string, Texts>>;

export type ReasonId = keyof typeof texts;

export interface Reason {
  readonly id: ReasonId;
  readonly parameters: Readonly<Record<string, string | number>>;
}

/** Returns the sentence that tells users the reason. */
export function reasonText({ id, parameters }: Reason, language: Language): string {
  return filledIn(texts[id][language], (name) => {
    const value = parameters[name];
    return value === undefined ? undefined : String(value);
  });
}
