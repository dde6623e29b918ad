/* One beat alone, in a frame: no rail, no lab, nothing remembered; its link leads to the lab of the page. */
(() => {
  const home = document.querySelector(".embed-foot a").href;
  const page = { ...widget, data: beats.seed.data, home, progress() {} };
  page.look = beats.looker(page);
  const section = document.querySelector("section.beat");
  section.machine = beats.machine(section, beats.rows.beats[0], page);
  section.dataset.ready = "";
})();
