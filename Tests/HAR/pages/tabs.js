// Two tabs of one user; the first is reloaded twice. Answers overlap, some are given up.

import { call, finish, tab, wait } from "./session.js";

const { api } = await (await fetch("/origin")).json();
const get = (path, reason) => call("GET", `${api}/v1/${path}`, { reason });
const visit = (sessionStorage.visit = Number(sessionStorage.visit ?? 0) + 1);

async function givenUp(path) {
  const control = new AbortController();
  setTimeout(() => control.abort(), 150);
  await call("GET", `${api}/v1/${path}`, { signal: control.signal });
}

if (tab === "2") {
  await get("folders/1");
  await wait(900);
  await Promise.all([get("notes/1?hold=600"), get("notes"), get("notes/2")]);
  await wait(1200);
  await call("PATCH", `${api}/v1/notes/5`, { body: { title: "note 5, from tab 2" } });
  await get("notes", "refetch");
  await wait(2700);
  await get("folders/1");
  await get("notes/5");
  await wait(1500);
  await get("notes/6");
} else if (visit === 1) {
  await get("folders");
  await Promise.all([get("folders/1"), get("notes")]);
  await wait(1000);
  const held = get("notes/1?hold=700");
  await wait(350);
  await get("notes/1");
  await held;
  window.open("/?tab=2", "_blank", "noopener");
  await wait(700);
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => get(`notes/${id}`)));
  await wait(900);
  await givenUp("notes/3?hold=2000");
  location.reload();
} else if (visit === 2) {
  await get("folders");
  await get("notes");
  await wait(1100);
  get("notes/4?hold=3000");
  await wait(300);
  location.reload();
} else {
  await get("folders");
  await get("notes/4");
  await wait(2600);
  await get("notes/4");
  await Promise.all([get("folders/1?hold=900"), call("PATCH", `${api}/v1/notes/4`, { body: { title: "note 4, here" } })]);
  await get("notes/4", "refetch");
  await wait(2400);
  await get("notes");
  await wait(2500);
  finish();
}
