import { readFileSync } from "node:fs";

/** The version of a package as it is installed beside an adapter; `from` is the adapter's `import.meta`. */
export function installedVersion(name, from) {
  for (let place = new URL(".", from.resolve(name)); ; place = new URL("..", place)) {
    let description;
    try {
      description = JSON.parse(readFileSync(new URL("package.json", place), "utf8"));
    } catch (error) {
      if (error.code !== "ENOENT" || place.pathname === "/") throw error;
      continue;
    }
    if (description.name === name) return description.version;
  }
}
