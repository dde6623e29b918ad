/* One cursor for lanes, links and stacks: a slider, play and step, the lanes under a finger; the address keeps its second. */
const cursor = { i: 0, shown: [], tracks: [] };

cursor.start = () => {
  const button = (name, text, click) => kit.h("button", { type: "button", class: "button", "aria-label": name, text, on: { click } });
  cursor.range = kit.h("input", { type: "range", class: "lane-range", min: "0", step: "1", "aria-label": "time of the step" });
  cursor.play = button("Play", "▶", () => (cursor.ticket ? (cursor.stop(), cursor.commit()) : cursor.run()));
  cursor.time = kit.h("output", { class: "lane-time" });
  cursor.row = kit.h("div", { class: "lane-transport", role: "group", "aria-label": "cursor" }, button("Step back", "|◀", () => cursor.go(cursor.i - 1)), cursor.play, button("Step forward", "▶|", () => cursor.go(cursor.i + 1)), cursor.range, cursor.time);
  cursor.range.addEventListener("input", () => cursor.go(Number(cursor.range.value)));
  cursor.range.addEventListener("keydown", cursor.keys);
  return { show: cursor.show, draw: pin.drawing, pin: pin.toggle, saved: cursor.saved };
};

cursor.keys = (event) => {
  const [track] = cursor.tracks;
  const to = {
    ArrowLeft: () => cursor.i - 1, ArrowDown: () => cursor.i - 1, ArrowRight: () => cursor.i + 1, ArrowUp: () => cursor.i + 1,
    PageUp: () => track.page(cursor.i, 1), PageDown: () => track.page(cursor.i, -1), Home: () => 0, End: () => track.last,
  }[event.key];
  if (event.key === " ") cursor.play.click();
  else if (to) cursor.go(to());
  else return;
  event.preventDefault();
};

/* A legal plan is drawn: lanes for it, the cursor where it was. */
cursor.show = (now) => {
  cursor.stop();
  clearTimeout(cursor.later); // a place in a plan that is gone
  dress.off(page.at("drawing"));
  const given = [now, pin.show(now)].filter(Boolean);
  cursor.tracks = given.map(tracks.of);
  const [track] = cursor.tracks;
  if (track) cursor.tracks = cursor.tracks.filter(Boolean);
  kit.text(page.at("runs-note"), moments.note(track));
  if (!track) {
    page.put("lanes", kit.h("p", { class: "muted", text: now.plan.timed ? "More slots than are run here: fewer micro-batches, or a schedule with rounds, are drawn." : "No sequence fits, so nothing runs." }));
    return kit.text(page.at("cursor"), "");
  }
  const most = Math.max(...cursor.tracks.map((one) => one.end));
  const unfold = () => { tracks.open = true; cursor.show(page.good); cursor.range.focus(); };
  cursor.shown = cursor.tracks.map((one, k) => lanes.draw(one, k ? null : page.picked, one.end / most, cursor.tracks.length > 1 ? (k ? "pinned" : "yours") : "", unfold));
  const again = tracks.open && track.run && !track.run.fold && runs.of(now.layout)?.fold ? kit.h("button", { type: "button", class: "link", on: { click: () => { tracks.open = false; cursor.show(page.good); } } }, "fold rounds that are alike") : null;
  kit.set(cursor.range, { max: track.last });
  page.put("lanes", cursor.shown.map(({ node }) => node), cursor.row, again);
  for (const [k, { field }] of cursor.shown.entries()) cursor.drag(field, cursor.tracks[k], track);
  const panels = [...page.at("drawing").querySelectorAll(".pin-panel")];
  cursor.parts = cursor.tracks.map((one) => dress.parts(panels[given.indexOf(one.now)] || page.at("drawing"), Boolean(one.run)));
  const asked = Number(now.chosen.t);
  return cursor.put(now.chosen.t && asked >= 0 ? track.index(asked) : track.usual);
};

/* The cursor stands at a place; nothing else changes. */
cursor.put = (i) => {
  const [track] = cursor.tracks;
  cursor.i = Math.max(0, Math.min(i, track.last));
  const at = track.seconds(cursor.i);
  const places_ = cursor.tracks.map((one, k) => (k ? one.index(at) : cursor.i));
  const [mine, theirs] = cursor.tracks.map((one, k) => moments.words(one, places_[k]));
  const says_ = theirs ? `${mine} Pinned: ${theirs}` : mine;
  cursor.shown.forEach(({ update }, k) => update(places_[k]));
  kit.set(cursor.range, { value: String(cursor.i), "aria-valuetext": says_, style: { "--at": `${(100 * cursor.i) / track.last}%` } });
  kit.text(cursor.time, `${words.duration(at)} of ${words.duration(track.end)}`);
  page.put("cursor", kit.h("b", { text: "At the cursor: " }), `${says_}${moments.apart(track)}`);
  cursor.tracks.forEach((one, k) => dress.move(one, places_[k], cursor.parts[k]));
};

/* Bytes of activations that a stage keeps at the cursor. */
cursor.saved = (stage) => {
  const [track] = cursor.tracks;
  return track?.run ? tracks.saved(track, stage, tracks.at(track, stage, track.moment(cursor.i)).held) : null;
};

/* The reader moved it: the address follows when they pause. */
cursor.go = (i) => {
  cursor.stop();
  cursor.put(i);
  clearTimeout(cursor.later);
  cursor.later = setTimeout(cursor.commit, 250);
};
cursor.commit = () => {
  const t = String(Number(cursor.tracks[0].seconds(cursor.i).toPrecision(6)));
  page.state.chosen = { ...page.state.chosen, t };
  page.good.chosen = { ...page.good.chosen, t };
  page.good.address = page.address(page.good);
  if (page.now === page.good) history.replaceState(null, "", page.good.address);
};

/* A finger on the lanes. */
cursor.drag = (field, track, first) => {
  const place = (event) => {
    const box = field.getBoundingClientRect();
    const x = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    let [low, high] = [0, track.last];
    while (high - low > 1) { const middle = (low + high) >> 1; if (track.x(middle) > x) high = middle; else low = middle; }
    return { low, near: x - track.x(low) > track.x(high) - x ? high : low };
  };
  const to = (event) => {
    const { near } = place(event);
    cursor.go(track === first ? near : first.index(track.seconds(near)));
  };
  hover.listen(field, track, (event) => place(event).low);
  field.addEventListener("pointerdown", (event) => {
    if (event.target.closest("button")) return;
    field.setPointerCapture(event.pointerId);
    to(event);
    field.addEventListener("pointermove", to);
    const end = () => field.removeEventListener("pointermove", to);
    for (const kind of ["pointerup", "pointercancel"]) field.addEventListener(kind, end, { once: true });
  });
};

/* ---------------------------------------------------------------- playing */
cursor.SECONDS = 15;  // a step is played in so many at most
cursor.run = () => {
  const [track] = cursor.tracks;
  const rate = Math.max(4, track.last / cursor.SECONDS);
  if (cursor.i >= track.last) cursor.put(0);
  kit.set(cursor.play, { "aria-label": "Pause", text: "❚❚" });
  const from = cursor.i;
  let zero = 0;
  const frame = (time) => {
    zero = zero || time;
    const i = Math.min(track.last, from + Math.floor(((time - zero) / 1000) * rate));
    if (i !== cursor.i) cursor.put(i);
    if (i >= track.last) { cursor.stop(); cursor.commit(); return; }
    cursor.ticket = requestAnimationFrame(frame);
  };
  cursor.ticket = requestAnimationFrame(frame);
};
cursor.stop = () => {
  if (!cursor.ticket) return;
  cancelAnimationFrame(cursor.ticket);
  cursor.ticket = 0;
  kit.set(cursor.play, { "aria-label": "Play", text: "▶" });
};
