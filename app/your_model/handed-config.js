// A config that another page of this site hands over: a design, or what was pasted into the search box.

/** It is handed over once: a page that is opened anew does not find it again. */
export function handed() {
  try {
    const text = sessionStorage.getItem("your-model") ?? "";
    sessionStorage.removeItem("your-model");
    return text;
  } catch {
    return "";
  }
}
