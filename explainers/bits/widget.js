export default { render({ model, el }) { const root = kit.root(el, "bits"); return kit.live(model, { root, keys: ["format", "code", "typed"], check, update() {} }); } };
