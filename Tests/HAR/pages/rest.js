// A user of a list of projects: pages, one project and its tasks, edits with refetches, and a poll.

import { call, finish, get, wait } from "./session.js";

new Image().src = "/logo.svg?large";
let polling = true;
(async () => {
  for (let n = 0; polling && n < 8; n += 1) {
    get(`/api/notices?_=${Date.now()}`, n ? "poll" : "user");
    await wait(3000);
  }
})();

await get("/api/me");
await get("/api/settings");
await get("/api/projects?page=1&per=10");
await wait(700);
await get("/api/projects?per=10&page=2");
await wait(900);
await get("/api/projects/3");
await get("/api/projects/3/tasks?offset=0");
await wait(1400);
await get("/api/projects/2/tasks?offset=0");
await get("/api/projects/2/tasks?offset=5");
await wait(1300);
await get("/api/projects/3");
await get("/api/projects/1/tasks?offset=0");
await get("/api/projects/1/tasks?offset=5");
await wait(600);
await call("PATCH", "/api/tasks/1001", { body: { title: "edited here" } });
await get("/api/projects/1/tasks?offset=0", "refetch");
await wait(2600);
await get("/api/users/2");
const cached = JSON.stringify({ query: "GET /api/settings", at: Date.now() });
await get("/api/settings");
navigator.sendBeacon("/cached", cached);
await get("/api/flaky");
await wait(300);
await get("/api/flaky");
await wait(450);
await get("/api/flaky");
await get("/api/projects/latest");
await wait(2300);
await call("POST", "/api/projects/1/tasks", { body: { title: "made here" } });
await get("/api/projects/1/tasks?offset=0", "refetch");
await get("/api/projects/1/tasks?offset=5", "refetch");
await wait(2500);
await get("/api/projects/latest");
await get("/api/users/2");
await call("DELETE", "/api/tasks/1009");
await get("/api/projects/1/tasks?offset=0", "refetch");
await wait(2400);
await get("/api/me");
await wait(350);
await get("/api/me");
await call("PATCH", "/api/tasks/1002", { body: { title: "refused" } });
await call("POST", "/api/tasks/1002/complete");
await wait(2200);
await get("/api/tasks/1002");
await get("/api/articles");
await call("HEAD", "/api/projects?per=10&page=1");
await get("/api/loop/a");
await wait(800);
await get("/api/projects?page=2&per=10");
await get("/api/projects?per=5&status=done");
await get("/api/projects/999");
await call("PUT", "/api/projects/12", { body: { name: "renamed here", status: "open" } });
await get("/api/projects?page=2&per=10", "refetch");
navigator.sendBeacon("/beacon", JSON.stringify({ id: 5, event: "left" }));
polling = false;
await wait(700);
finish();
