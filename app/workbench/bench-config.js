// A config that is pasted, chosen or dropped -> a request to draw it; what is too large or no file is refused.
import { about, refuse } from "./bench-answers.js";
import { at, fill, pasted } from "./bench-entry.js";

/** @import { Requests } from "./bench-session.js" */

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;

/** @param {Requests["go"]} go */
export function configReader(go) {
  const most = Number(at("pasted").dataset.most);
  const aboutIt = () => about(/** @type {Element} */ (at("pasted").closest("details")));
  /**
   * @param {string} name
   * @param {number} size bytes
   */
  const tooLarge = (name, size) =>
    `${name} has ${megabytes(size)}, but the workbench reads up to ${megabytes(most)} of JSON. A config.json has a few KB.`;
  /**
   * @param {string} text
   * @param {string} [name]
   */
  const read = (text, name = "This text") => {
    aboutIt();
    const size = new Blob([text]).size;
    if (size > most || JSON.stringify(text).length > 2 * most) return refuse(tooLarge(name, size));
    const state = pasted()?.text === text ? history.state : { config: { text, turn: Date.now() } };
    go("Sending your config", { model: "", edit: "" }, { again: Date.now() }, state);
    fill();
  };
  /** @param {File | undefined} chosen */
  const file = async (chosen) => {
    aboutIt();
    if (!chosen) return refuse("There was no file in what was dropped: drop a config.json.");
    if (chosen.size > most) return refuse(tooLarge(chosen.name, chosen.size));
    try {
      at("pasted").value = await chosen.text();
    } catch {
      return refuse(`${chosen.name} cannot be read: is it a folder?`);
    }
    read(at("pasted").value, chosen.name);
  };
  return { read, file };
}
