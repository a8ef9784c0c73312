/**
 * What the page runs before its own code, as text: polls wait until the bench answers them, and timers can be moved on.
 * Each measured time (ms) begins when an answer arrives as text.
 */
export const instead = `(() => {
  const hub = globalThis.fetch;
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  let first, answer, asked = [], number = 0, at = 0;

  globalThis.fetch = async (url, init) => {
    if (!String(url).includes("/hub/poll")) return hub(url, init);
    const text = await new Promise((resolve) => {
      answer = resolve;
      for (const done of asked.splice(0)) done();
    });
    return { ok: true, status: 200, headers: new Headers(), text: async () => text };
  };

  const isAsked = () => answer !== undefined ? Promise.resolve() : new Promise((resolve) => asked.push(resolve));
  const deliver = (text) => {
    const give = answer;
    answer = undefined;
    give(text);
  };
  /** Lets everything run that is ready. */
  const channel = new MessageChannel();
  let turn;
  channel.port1.onmessage = () => turn();
  const nextTurn = () => new Promise((resolve) => {
    turn = resolve;
    channel.port2.postMessage(0);
  });
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  const devicesOf = (full) => full.polls.find((section) => "devices" in section).devices;
  /** Writes an answer as a hub does, with a tab before each object. */
  const written = ({ timestamp, full, polls }) => {
    const told = polls.map((section) => {
      const fields = Object.entries(section).map(([name, value]) => {
        if (value === null || typeof value !== "object") return JSON.stringify(name) + ":" + JSON.stringify(value);
        const entries = Object.entries(value).map(([id, object]) => "\\t" + JSON.stringify(id) + ":" + JSON.stringify(object));
        return JSON.stringify(name) + ":{" + entries.join() + "}";
      });
      return "{" + fields.join() + "}";
    });
    return '{"type":"POLL_DELTA","timestamp":' + timestamp + ',"full":' + full + ',"polls":[' + told.join() + "]}";
  };
  /** A delta that changes some devices, as seen in the list; the first of them is in the list's first row. */
  const delta = (count) => {
    number++;
    const devices = devicesOf(first);
    const inSight = devices[document.querySelector("ul.virtual a")?.href.split("/").at(-1)];
    const some = [...(inSight ? [inSight] : []), ...Object.values(devices)].slice(0, count);
    const changed = some.map((device) => [
      device.id,
      { ...device, state: { ...device.state, battery: number % 100 } },
    ]);
    at++;
    return written({ timestamp: first.timestamp + at, full: false, polls: [{ devices: Object.fromEntries(changed) }] });
  };
  /** @returns the time from the arrival of an answer to the next poll, and the longest in which nothing else ran */
  const applied = async (text) => {
    await isAsked();
    const began = performance.now();
    let [pause, last, isDone] = [0, began, false];
    const watch = async () => {
      while (!isDone) {
        await nextTurn();
        const now = performance.now();
        pause = Math.max(pause, now - last);
        last = now;
      }
    };
    const watched = watch();
    deliver(text);
    await isAsked();
    const took = performance.now() - began;
    isDone = true;
    await watched;
    return { took, pause };
  };
  const timesOf = async (count, once) => {
    const times = [];
    for (let round = 0; round < count; round++) {
      times.push(await once());
      await frame();
    }
    return times;
  };

  /** Timers of the page on a clock that only the bench moves; none while it runs by itself. */
  let clock;
  const simulate = () => {
    const [wall, monotonic] = [Date.now(), performance.now()];
    const own = { setTimeout, setInterval, clearTimeout, clearInterval };
    const [wallNow, monotonicNow] = [Date.now, performance.now];
    clock = { now: 0, timers: new Map(), last: 1e9 };
    Date.now = () => wall + clock.now;
    performance.now = () => monotonic + clock.now;
    const add = (call, ms, every) => {
      const id = ++clock.last;
      clock.timers.set(id, { call, due: clock.now + Math.max(1, ms || 0), every });
      return id;
    };
    globalThis.setTimeout = (call, ms) => add(call, ms);
    globalThis.setInterval = (call, ms) => add(call, ms, ms);
    globalThis.clearTimeout = (id) => void (clock.timers.delete(id) || clearTimeout(id));
    globalThis.clearInterval = (id) => void (clock.timers.delete(id) || clearInterval(id));
    return () => {
      Date.now = wallNow;
      performance.now = monotonicNow;
      Object.assign(globalThis, own);
    };
  };
  const pass = async (ms) => {
    const end = clock.now + ms;
    for (;;) {
      let [soonest, due] = [undefined, end];
      for (const [id, timer] of clock.timers) if (timer.due <= due) [soonest, due] = [id, timer.due];
      clock.now = due;
      if (soonest === undefined) return;
      const timer = clock.timers.get(soonest);
      if (timer.every === undefined) clock.timers.delete(soonest);
      else timer.due += timer.every;
      timer.call();
      await nextTurn();
    }
  };

  globalThis.bench = {
    async first(full) {
      first = full;
      return applied(written({ ...full, full: true }));
    },
    crowd: (count, rounds) => timesOf(rounds, async () => (await applied(delta(count))).took),
    async deltas(rounds) {
      const changed = () => new Promise((resolve) => {
        const observer = new MutationObserver(() => { observer.disconnect(); resolve(performance.now()); });
        observer.observe(document.querySelector("ul.virtual"), { subtree: true, childList: true, characterData: true });
      });
      return timesOf(rounds, async () => {
        await isAsked();
        const text = delta(1);
        const drawn = changed();
        const began = performance.now();
        deliver(text);
        return (await drawn) - began;
      });
    },
    async scroll(px, frames) {
      const times = [];
      let [last, way] = [await frame(), px];
      for (let count = 0; count < frames; count++) {
        if (scrollY + innerHeight + px >= document.body.scrollHeight) way = -px;
        if (scrollY <= 0) way = px;
        scrollBy(0, way);
        const now = await frame();
        times.push(now - last);
        last = now;
      }
      return times;
    },
    async day(seconds) {
      await isAsked();
      const restore = simulate();
      for (let second = 0; second < seconds; second++) {
        if (answer === undefined) await isAsked();
        deliver(delta(1));
        await nextTurn();
        await pass(1000);
      }
      restore();
    },
  };
})()`;
