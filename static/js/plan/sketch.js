/* A drawing as plain objects, and what becomes of it on the page: only what differs from the drawing before is touched. */
const sketch = {};

/* {tag, attrs, kids}; a kid is a sketch, a text, or a node that is made already and stays itself. */
sketch.of = (svg) => (tag, { text, ...attrs } = {}, ...kids) =>
  ({ svg, tag, attrs, kids: [text, ...kids.flat(Infinity)].filter((kid) => kid !== undefined && kid !== null && kid !== false) });
sketch.h = sketch.of(false);
sketch.s = sketch.of(true);

sketch.made = (one) => {
  if (one instanceof Node) return one;
  if (one.tag === undefined) return document.createTextNode(one);
  const node = (one.svg ? kit.s : kit.h)(one.tag, one.attrs);
  sketch.into(node, one.kids);
  return node;
};

/* The node of what was drawn, once it is what is to be drawn; or nothing, where it cannot become that. */
sketch.turned = (node, was, one) => {
  if (was === one) return node;
  if (was instanceof Node || one instanceof Node || was.tag !== one.tag || was.svg !== one.svg) return null;
  if (one.tag === undefined) node.data = one;
  else {
    for (const [key, value] of Object.entries(one.attrs)) if (was.attrs[key] !== value) kit.set(node, { [key]: value });
    for (const key of Object.keys(was.attrs)) if (!(key in one.attrs)) kit.set(node, { [key]: false });
    sketch.into(node, one.kids, was.kids);
  }
  return node;
};

/* The kids of a node become these; what others put between them stays. The nodes stand beside the kids: kids.nodes. */
sketch.into = (parent, kids, before = []) => {
  const old = before.nodes || [];
  let last = null;
  kids.nodes = kids.map((one, i) => {
    const had = old[i];
    const mine = had ? sketch.turned(had, before[i], one) : null;
    const node = mine || sketch.made(one);
    if (!mine) {
      if (had && had.parentNode === parent && !kids.includes(had)) had.remove();
      if (last) last.after(node);
      else parent.prepend(node);
    }
    last = node;
    return node;
  });
  for (const node of old.slice(kids.length)) if (node.parentNode === parent && !kids.includes(node)) node.remove();
  return kids;
};

/* Every sketch, and every node made already. */
sketch.each = (kids, then) => {
  for (const one of kids) {
    then(one);
    if (one.kids) sketch.each(one.kids, then);
  }
};
