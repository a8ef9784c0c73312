import type { JSX } from "preact";
import type { WhatIf } from "../api/rules.ts";
import { momentOf, nameOfAttribute, textOf } from "../format.ts";
import { home } from "../store/home.ts";
import { t } from "../texts/texts.ts";
import { isYoung, type Line, linesOf, shownCommands } from "./what-if.ts";

/** Returns a value of a device in words; undefined for a device that is gone. */
function saidOf(id: string, attribute: string, value: unknown): string | undefined {
  const device = home.of.devices.of(id).value;
  if (device === undefined) return undefined;
  const [name, text] = [nameOfAttribute(device, attribute), textOf(device, attribute, value)];
  // Words such as "Motion" say what they are of.
  return `${device.name}: ${text.startsWith(name) ? text : `${name} ${text}`}`;
}

function CommandLine({ line }: { readonly line: Line }): JSX.Element | null {
  const { at, device, attribute, value, because, isLate } = line;
  const said = saidOf(device, attribute, value);
  if (said === undefined) return null;
  const reason = because && saidOf(because.device, because.attribute, because.value);
  return (
    <li>
      <time dateTime={new Date(at).toISOString()} class="muted">
        {momentOf(at)}
      </time>
      <p>{said}</p>
      {reason && <p class="muted">{t(isLate ? "whatif.after" : "whatif.because", { reason })}</p>}
    </li>
  );
}

function Lines({ of }: { readonly of: readonly Line[] }): JSX.Element {
  return (
    <ol class="chain">
      {of.map((line) => (
        <CommandLine key={`${line.at} ${line.device} ${line.attribute}`} line={line} />
      ))}
    </ol>
  );
}

/** What would be other than it was, for a rule that did something then. */
function Difference({ diff }: Pick<WhatIf, "diff">): JSX.Element {
  const { onlyNewCount: more, onlyOldCount: less, onlyOld } = diff;
  return (
    <>
      <p>{`${t("whatif.new", { n: more })} ${t("whatif.gone", { n: less })}`}</p>
      {less > 0 && (
        <details>
          <summary>{t("whatif.goneWhich")}</summary>
          <Lines of={linesOf(onlyOld)} />
        </details>
      )}
    </>
  );
}

/** What a rule would have done. @param isKnown whether the home has the rule, so that the past is compared */
export function Trial({ of, isKnown }: { readonly of: WhatIf; readonly isKnown: boolean }): JSX.Element {
  const { firings, from, commands, commandCount, diff } = of;
  return (
    <>
      <p>{t("whatif.count", { n: firings, from: momentOf(from) })}</p>
      {isYoung(of) && <p>{t("whatif.young", { from: momentOf(from) })}</p>}
      {isKnown && <Difference diff={diff} />}
      <Lines of={linesOf(commands)} />
      {commandCount > shownCommands && <p class="muted">{t("whatif.more", { n: shownCommands })}</p>}
    </>
  );
}
