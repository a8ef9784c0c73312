import type { ComponentChildren, JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { t } from "../../texts/texts.ts";

/** The end of a step: goes on with the devices that have come, or back. Further buttons stand between. */
export function Onward(props: {
  readonly come: readonly string[];
  readonly done: (ids: readonly string[]) => void;
  readonly stop: () => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { come, done, stop, children } = props;
  const { length: n } = come;
  return (
    <div class="row">
      <Button isMain={n > 0} isBlocked={n === 0} onClick={() => done(come)}>
        {t("bacnet.next", { n })}
      </Button>
      {children}
      <button type="button" class="button" onClick={stop}>
        {t("pair.back")}
      </button>
    </div>
  );
}
