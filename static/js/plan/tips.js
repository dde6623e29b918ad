/* A number that can be asked how it came to be: a button whose tip shows on hover, focus and tap. */
const tips = {};

tips.number = (text, ask, role = "num") => {
  const node = kit.h("button", { type: "button", class: role, text });
  node.planAsk = ask;
  return node;
};

tips.box = kit.h("div", { class: "plan-tip", role: "tooltip", id: "plan-tip", hidden: true });
tips.shown = null;

tips.show = (node) => {
  const [title, lines, note] = node.planAsk();
  tips.box.replaceChildren(kit.h("b", { text: title }), ...lines.map((line) => kit.h("code", { text: line })), kit.h("span", { text: note }));
  tips.box.hidden = false;
  tips.shown?.removeAttribute("aria-describedby");
  tips.shown = node;
  node.setAttribute("aria-describedby", "plan-tip");
  const [a, root] = [node.getBoundingClientRect(), tips.box.parentNode.getBoundingClientRect()];
  const wide = tips.box.offsetWidth;
  const left = Math.max(0, Math.min(a.left - root.left + a.width / 2 - wide / 2, root.width - wide));
  kit.set(tips.box, { style: { left: `${left}px`, top: `${a.bottom - root.top + 8}px` } });
};
tips.hide = () => {
  if (!tips.shown) return;
  tips.shown.removeAttribute("aria-describedby");
  tips.shown = null;
  tips.box.hidden = true;
};

tips.listen = (root) => {
  root.append(tips.box);
  const asked = (event) => event.target.closest?.("button") && event.target.closest("button").planAsk ? event.target.closest("button") : null;
  for (const kind of ["pointerover", "focusin", "click"]) root.addEventListener(kind, (event) => { if (asked(event)) tips.show(asked(event)); });
  root.addEventListener("pointerout", (event) => { if (asked(event) && document.activeElement !== asked(event)) tips.hide(); });
  root.addEventListener("focusout", tips.hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tips.hide(); });
};
