/* A Hub id -> the text of its config.json, fetched by the page from huggingface.co; every fault is a sentence. */

import { hubId } from "../site/query.js";
import { Stopped } from "./python.js";

const HUB = "https://huggingface.co";
const WAYS = "Download its config.json and drop it here.";
/** @type {{ [status: number]: (id: string) => string }} */
const SENTENCES = {
  401: (id) =>
    `${id} is gated or private, or there is no such repo: the Hub gives its config to signed-in users only. ${WAYS}`,
  403: (id) => `${id} is gated: the Hub gives its config to signed-in users only. ${WAYS}`,
  404: (id) => `The Hub has no config.json in ${id}. Is the id right, and is it a model in the transformers format?`,
  429: () => "The Hub has had too many requests from your address. Try again in a few minutes.",
};

/**
 * @param {string} typed
 * @returns {string}
 */
export function checked(typed) {
  const id = hubId(typed);
  if (!id) throw new Stopped("That is no Hub id: it looks like owner/name, as in Qwen/Qwen3-8B.");
  return id;
}

/**
 * @param {string} id
 * @param {number} most bytes
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
export async function fetchConfig(id, most, signal) {
  let answer;
  try {
    answer = await fetch(`${HUB}/${id}/resolve/main/config.json`, {
      signal,
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  } catch {
    if (signal.aborted) throw new Stopped("");
    throw new Stopped(
      navigator.onLine
        ? `huggingface.co did not answer for ${id}. If something on your network blocks it, download the config.json and drop it here.`
        : "You are offline: a Hub repo needs the network. A config.json that you paste or drop does not.",
    );
  }
  if (!answer.ok)
    throw new Stopped(
      (SENTENCES[answer.status] ?? (() => `The Hub answered ${answer.status} for ${id}. Try again later.`))(id),
    );
  const large = `The config.json of ${id} is larger than ${most / 1e6} MB; a config has a few KB.`;
  if (Number(answer.headers.get("content-length")) > most) throw new Stopped(large);
  const text = await answer.text();
  if (text.length > most) throw new Stopped(large);
  return text;
}
