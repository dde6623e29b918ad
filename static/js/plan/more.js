/* What is fetched when somebody comes near it: lanes, their cursor, and what is pinned. `more.shared` is all that it may use. */
const more = { on: null };

more.get = async () => {
  more.asked ||= import(page.root.dataset.more);
  const made = await more.asked;
  if (!more.on) {
    more.on = made.default(more.shared());
    if (page.good?.chosen.pin) page.lives(page.good);
    if (page.good) more.on.show(page.good);
  }
  return more.on;
};
/* The first plan's lanes are not another one's. */
more.clear = () => {
  if (more.on) return;
  kit.text(page.at("runs-note"), "");
  page.put("lanes");
};
more.start = () => {
  const watch = new IntersectionObserver(([seen]) => { if (seen.isIntersecting) { watch.disconnect(); more.get(); } }, { rootMargin: "200px" });
  watch.observe(page.at("lanes"));
};
