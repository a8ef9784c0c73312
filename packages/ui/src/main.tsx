import { render } from "preact";
import { isOfCloud } from "./browser.ts";
import { followKeyboard } from "./parts/keyboard.ts";
import { App } from "./shell/app.tsx";
import { openLanguage } from "./shell/language.ts";
import { loadAll } from "./shell/screens.ts";
import { keepFocus } from "./shell/focus.ts";
import { openTheme } from "./shell/theme.ts";
import { openCloud } from "./store/cloud.ts";
import { openHub, openPage } from "./store/home.ts";
import { openPreferences } from "./store/own-preferences.ts";
import { openPanel } from "./store/panel.ts";

const root = document.querySelector("#app");
if (root === null) throw new Error("the page has no place for the app");

await Promise.all([openTheme(), openLanguage(), openPanel()]);
render(<App />, root);
openPage();
followKeyboard();
keepFocus();
openPreferences();
await (isOfCloud() ? openCloud() : openHub());
loadAll();
