// The strip of layers: painted with a pointer that is drawn over it, or with arrow keys and Space; told when it is done.

/** @param {Element | null} target */
const cellOf = (target) => /** @type {HTMLElement | null} */ (target?.closest("button.d-cell") ?? null);

/**
 * @param {HTMLElement[]} all
 * @param {number} place
 */
function focus(all, place) {
  for (const one of all) one.tabIndex = -1;
  all[place].tabIndex = 0;
  all[place].focus();
}

/**
 * @param {HTMLElement} editor whose markup is put anew with each answer
 * @param {(pattern: string) => void} done with the letters of all layers, in runs: "3d1f"
 */
export function paintable(editor, done) {
  let drawing = false;
  const cells = () => /** @type {HTMLElement[]} */ ([...editor.querySelectorAll("button.d-cell")]);
  const brush = () => /** @type {HTMLElement | null} */ (editor.querySelector(".d-brushes [aria-checked=true]"));

  /** @param {HTMLElement | null} cell */
  function put(cell) {
    const kind = brush()?.dataset;
    if (!cell || !kind?.brush || cell.dataset.letter === kind.brush) return;
    cell.dataset.letter = kind.brush;
    cell.className = `d-cell r-${kind.role} painted`;
    cell.setAttribute("aria-label", `Layer ${cell.id.split("-")[1]}: ${kind.words}`);
  }
  const letters = () => cells().map(({ dataset }) => dataset.letter);
  const tell = () =>
    done(
      letters()
        .join("")
        .replace(/(.)\1*/g, (run) => `${run.length}${run[0]}`),
    );

  editor.addEventListener("pointerdown", (event) => {
    const cell = cellOf(/** @type {Element} */ (event.target));
    if (!cell || event.button) return;
    drawing = true;
    cell.focus();
    put(cell);
  });
  addEventListener("pointermove", (event) => {
    if (drawing) put(cellOf(document.elementFromPoint(event.clientX, event.clientY)));
  });
  addEventListener("pointerup", () => {
    if (drawing) tell();
    drawing = false;
  });
  addEventListener("pointercancel", () => {
    drawing = false;
  });
  editor.addEventListener("keydown", (event) => {
    const cell = cellOf(/** @type {Element} */ (event.target));
    if (!cell) return;
    const all = cells(),
      place = all.indexOf(cell);
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) focus(all, Math.max(0, Math.min(to, all.length - 1)));
    else if (event.key === " " || event.key === "Enter") {
      put(cell);
      tell();
    } else return;
    event.preventDefault();
  });
  return {
    /** The markup is new: the cell that has the focus is the one that Tab finds. */
    refresh() {
      const cell = cellOf(document.activeElement);
      if (cell) for (const one of cells()) one.tabIndex = one === cell ? 0 : -1;
    },
  };
}
