// What the pages of all sessions share.

export const tab = (sessionStorage.tab ??= new URLSearchParams(location.search).get("tab") ?? "1");

export const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** One request of the app; `reason` is why it was made, for the server's log alone. */
export async function call(method, address, { body, reason = "user", signal } = {}) {
  const headers = { "X-Tab": tab, "X-Reason": reason };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await fetch(address, { method, headers, body: text, signal });
    const content = await answer.text();
    return answer.ok && content ? JSON.parse(content) : undefined;
  } catch {
    return undefined;
  }
}

export const get = (address, reason) => call("GET", address, { reason });

export function finish() {
  document.title = "finished";
}
