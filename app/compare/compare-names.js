// What is typed or stands in an address -> a drawn model, or a sentence.
import { isPasted } from "./compare-ask.js";

/** @import { ListedModel } from "../site/types.d.ts" */

/** @param {string} name */
const joined = (name) => name.toLowerCase().replace(/[\s_-]+/g, "");

/**
 * The slug of the model that a reader means: its title or slug, else written together, else a part of either.
 * @param {string} typed
 * @param {ListedModel[]} models
 * @param {(slug: string) => boolean} held whether a pasted config is still there
 * @returns {[slug: string | null, wrong: string]}
 */
export const modelOf = (typed, models, held) => {
  const plain = typed.trim().toLowerCase();
  if (isPasted(plain))
    return held(plain)
      ? [plain, ""]
      : [null, "A pasted config exists only in the tab where it was pasted: paste it again."];
  const found =
    models.find(([slug, title]) => [slug, title].some((one) => one.toLowerCase() === plain)) ??
    models.find(([slug, title]) =>
      [title, slug.split("/").at(-1) ?? ""].some((one) => joined(one) === joined(plain)),
    ) ??
    models.filter(([slug, title]) => `${title} ${slug}`.toLowerCase().includes(plain))[0];
  if (!plain || !found)
    return [null, `No model here is called “${typed}”. Type a name from the list, such as Qwen3 32B.`];
  if (!found[4]) return [null, `${found[1]} is listed but not drawn: its config is not available.`];
  return [found[0], ""];
};
