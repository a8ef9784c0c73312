import type { panel as english } from "../en/panel.ts";
import type { Translated } from "../text.ts";

/** The texts of the panel on a wall, in Swedish. */
export const panel: Translated<typeof english> = {
  "panel.title": "Panel på väggen",
  "panel.how":
    "En panel fyller skärmen med ett rum eller hela hemmet. Den dämpas efter en minut utan beröring och vaknar vid larm. Webbläsaren förblir en panel, även när den öppnas på nytt, tills någon lämnar den.",
  "panel.shows": "Vad den visar",
  "panel.whole": "Hela hemmet",
  "panel.pin": "PIN för att lämna den, om du vill ha en",
  "panel.pinHow": "4 till 8 siffror. De håller förbipasserande borta från de andra vyerna.",
  "panel.badPin": "En PIN har 4 till 8 siffror.",
  "panel.guest":
    "Den här webbläsaren är inne med din egen nyckel. Släpp in en surfplatta på väggen som panel, under Personer: då öppnar dess nyckel inte mer än en gäst får.",
  "panel.start": "Visa panelen",
  "panel.gone": "Rummet finns inte längre.",
  "panel.goneHow": "Lämna panelen och välj ett annat rum.",
  "panel.empty": "Här finns ingenting.",
  "panel.emptyHow": "Enheter som ställs i det här rummet dyker upp här av sig själva.",
  "panel.leave": "Lämna panelen",
  "panel.pinField": "PIN",
  "panel.wrongPin": "Det är inte rätt PIN.",
  "panel.pause": "För många fel. Försök igen om {s} s.",
  "panel.forgotten":
    "Har ingen PIN-koden? Stäng ute enheten under Personer i en annan webbläsare, och släpp in den igen.",
  "panel.rests": "Panelen vilar",
  "panel.wake": "Rör för att fortsätta",
};
