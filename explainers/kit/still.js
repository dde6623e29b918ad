/* A tree of elements -> the HTML that stands in a page before, or without, any script: what is hidden is left out, and so
   are controls, which nobody would hear. build/render.mjs calls it; no page does. */
import { SVG_NS } from "./dom.js";

const VOID = "br, hr, img, wbr, col";
const BLOCKS = "dl, div, p, ul, ol, table";
/** What a widget gives data-omit is left out, too: too much for a first picture. A button that is a part of a drawing has
    data-still, and is a span without a script. */
const CONTROLS =
  "button:not([data-still]), input, select, textarea, .cw-control, .cw-transport, .cw-live, .cw-error, .cw-tip, .cw-steady > :not(.on), [hidden], dialog, [data-omit]";
/** In drawings what cannot be seen takes no room. */
const UNSEEN = "[visibility=hidden], [class*='-hit'], [data-omit]";
/** What is said only of an element that can be used, or to the build. */
const LIVE =
  /^(data-(below|step|rank)|tabindex|aria-(live|valuenow|valuemin|valuemax|valuetext|orientation|describedby|activedescendant|controls|pressed|selected))$/;
const [GONE, EMPTY] = [/(display:\s*none|visibility:\s*hidden)/, /^[\s\w-]*:?;?\s*$/];
const SIZE = /^(width|height)$/;
const PRESSED = /^(type|disabled|aria-label|data-still)$/;
/** A wide table is scrolled by keyboard, script or none. */
const SCROLLED = ".cw-scroll";
/** A list to choose from is a list. */
const CHOOSING = /^(listbox|option)$/;
const USED = /^(slider|button|radio|checkbox|switch|application)$/;
/** What a drawing says as one picture stands in its data-picture: then none of its parts is said by itself. */
const SAID = /^(role|aria-.*|data-picture)$/;

/** @param {string} text */
const escapeText = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/**
 * Whether an element is to be seen and does something without a script.
 * @param {Element} el
 */
const stays = (el) =>
  !el.matches(el.namespaceURI === SVG_NS ? UNSEEN : CONTROLS) && !GONE.test(el.getAttribute("style") ?? "");

/**
 * Whether a drawing was made for the width of its column: it then scales with it, until a script draws it anew. Where none
 * will and the column is narrow, kit.css lets it keep its size, in a box that scrolls.
 * @param {Element} el
 */
const fills = (el) => {
  const wide = Number(el.getAttribute("width"));
  return (
    el.localName === "svg" &&
    wide > document.body.clientWidth / 2 &&
    Number(el.getAttribute("viewBox")?.split(" ")[2]) === wide
  );
};

/**
 * The attributes of an element, without what only a live one has; what can be used is a picture here, of what it says. A
 * style stops the build: the policy of embeds lets no style attribute in.
 * @param {Element} el
 */
const attributes = (el) => {
  const used = USED.test(el.getAttribute("role") ?? "");
  const button = el.localName === "button";
  const said = used ? el.getAttribute("aria-valuetext") : "";
  const picture = el.getAttribute("data-picture");
  const quiet = el.closest("[data-picture]") !== null;
  return [...el.attributes]
    .reverse() // linkedom has the newest first
    .filter(
      ({ name, value }) =>
        !(LIVE.test(name) && !(name === "tabindex" && el.matches(SCROLLED))) &&
        !(quiet && SAID.test(name)) &&
        !(button && PRESSED.test(name)) &&
        !(name === "role" && CHOOSING.test(value)) &&
        !(SIZE.test(name) && fills(el)) &&
        !(name === "style" && EMPTY.test(value)),
    )
    .map(({ name, value }) => {
      if (name === "style")
        throw new Error(
          `<${el.localName} class="${el.getAttribute("class")}" style="${value}">: say it with a class or an attribute.`,
        );
      if (used && name === "role") return [name, "img"];
      return [name, said && name === "aria-label" ? `${value}: ${said}` : value];
    })
    .map(([name, value]) => [name, name === "id" ? `first-${value}` : value.replace("url(#", "url(#first-")]) // not the live one's
    .concat(
      picture
        ? [
            ["role", "img"],
            ["aria-label", picture],
          ]
        : [],
    )
    .map(([name, value]) => (value ? ` ${name}="${escapeText(value).replaceAll('"', "&quot;")}"` : ` ${name}`))
    .join("");
};

/**
 * The element that stands for it: a button is a phrase without a script, and a label, whose control is left out, no label.
 * @param {Element} el
 */
const tagOf = (el) => {
  if (el.localName === "label") return el.querySelector(BLOCKS) ? "div" : "span";
  return el.localName === "button" ? "span" : el.localName;
};

/**
 * A node as HTML; an element that held nothing but controls is left out, too.
 * @param {Node} node
 * @returns {string}
 */
export const still = (node) => {
  if (node.nodeType === 3) return escapeText(/** @type {Text} */ (node).data);
  if (node.nodeType !== 1 || !stays(/** @type {Element} */ (node))) return "";
  const el = /** @type {Element} */ (node);
  const tag = tagOf(el);
  const inner = [...el.childNodes].map(still).join("");
  const svg = el.namespaceURI === SVG_NS;
  const empty = svg ? /^(g|text)$/.test(tag) && !el.closest(".bet-tool") : el.childNodes.length; // bets.js fills its own
  if (!inner && empty) return "";
  if (tag === "g" && !el.attributes.length) return inner;
  if (svg && !inner) return `<${tag}${attributes(el)}/>`;
  const html = el.matches(VOID) ? `<${tag}${attributes(el)}>` : `<${tag}${attributes(el)}>${inner}</${tag}>`;
  return fills(el) ? `<span class="cw-wide">${html}</span>` : html;
};

/**
 * Nodes and words as HTML.
 * @param {readonly (Node | string)[]} nodes
 */
export const stills = (nodes) => nodes.map((one) => (typeof one === "string" ? escapeText(one) : still(one))).join("");
