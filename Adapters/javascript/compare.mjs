/**
 * Prints, in Markdown, what the installed clients and the presets that are named after them make of the same streams:
 * `node compare.mjs SCENARIO... TIDEMARK`, from the top of the repository. Clients that are not installed are named.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder of each adapter, and its preset. */
const clients = {
  "tanstack-query": "tanstack", "rtk-query": "rtk-query", "apollo-client": "apollo-client", graphcache: "graphcache", swr: "swr",
};
const scenarios = process.argv.slice(2, -1);
const tidemark = process.argv.at(-1);
if (scenarios.length === 0) {
  console.error("usage: node compare.mjs SCENARIO... TIDEMARK");
  process.exit(64);
}
const bridges = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), "tidemark-clients-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const thousands = (number) => Number(number).toLocaleString("en-GB");

function isInstalled(client) {
  return [client, "."].some((place) => existsSync(join(bridges, place, "node_modules")));
}

/** By policy and metric: the figure over all reads, or of the whole run. */
function figures(file) {
  const found = {};
  for (const line of readFileSync(file, "utf8").split("\n").slice(1)) {
    const [, policy, , kind, metric, statistic, value] = line.split(",");
    if (statistic !== "value" || !(kind === "all" || kind === "total")) continue;
    (found[policy] ??= {})[metric] = value;
  }
  return found;
}

/** How many reads went alike: two caches that both had to ask differ in the reason alone, which is not seen from outside. */
function sameReads(file, one, other) {
  const [head, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n").map((line) => line.split(","));
  const policy = head.indexOf("policy"), outcome = head.indexOf("outcome");
  const hits = (name) => lines.filter((line) => line[policy] === name)
    .map((line) => (line[outcome].startsWith("hit") ? line[outcome] : "not served at once"));
  const former = hits(one), latter = hits(other);
  if (former.length !== latter.length) throw new Error(`${file}: ${former.length} and ${latter.length} reads`);
  return former.filter((hit, place) => hit === latter[place]).length;
}

console.log("| stream | cache | reads | fresh | stale | fetches | bytes fetched | reads as the preset | s |");
console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const scenario of scenarios) {
  for (const [client, preset] of Object.entries(clients)) {
    if (!isInstalled(client)) {
      console.error(`${client}: not installed; npm install --prefix Adapters/javascript/${client}`);
      continue;
    }
    const results = join(folder, "results.csv"), outcomes = join(folder, "reads.csv");
    const began = performance.now();
    execFileSync(tidemark, [
      "simulate", scenario, "--policies", preset, "--format", "csv", "--output", results, "--outcomes", outcomes,
      "--cache", `real=node '${bridges}/bridge.mjs' '${bridges}/${client}/adapter.mjs'`,
    ], { stdio: ["ignore", "inherit", "inherit"] });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const found = figures(results);
    for (const [policy, name] of [[preset, `preset \`${preset}\``], ["real", client]]) {
      const { reads, hit_fresh, hit_stale, fetches, bytes_fetched } = found[policy];
      const last = policy === "real" ? [thousands(sameReads(outcomes, preset, "real")), seconds] : ["", ""];
      console.log(`| ${[scenario, name, ...[reads, hit_fresh, hit_stale, fetches, bytes_fetched].map(thousands), ...last].join(" | ")} |`);
    }
  }
}
