#!/usr/bin/env python3
"""Records a session of one of our servers with the browser's own developer tools.

    record-devtools.py SESSION FOLDER

opens the developer tools on the page, with the log preserved, and has their own writer make
FOLDER/SESSION-devtools.har; FOLDER/SESSION-devtools.truth.json is what the server logged.
"""

import json
import pathlib
import sys
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import sync_playwright
from record import Served

PORT = 9777

READY = """async () => {
  const SDK = await import('./core/sdk/sdk.js');
  const targets = SDK.TargetManager.TargetManager.instance().targets();
  return targets.some((target) => target.model(SDK.NetworkManager.NetworkManager));
}"""

PRESERVE = """async () => {
  const Common = await import('./core/common/common.js');
  const settings = Common.Settings.Settings.instance();
  settings.moduleSetting('network-log.preserve-log').set(true);
}"""

WRITE = """async () => {
  const HAR = await import('./models/har/har.js');
  const Logs = await import('./models/logs/logs.js');
  const Common = await import('./core/common/common.js');
  const parts = [];
  const stream = { write: async (text) => { parts.push(text); } };
  const requests = Logs.NetworkLog.NetworkLog.instance().requests();
  // Of a request whose page went away the end is never heard of, and the writer would wait for it.
  const ended = requests.filter((request) => request.finished);
  const lost = requests.filter((request) => !request.finished).map((request) => request.url());
  const progress = new Common.Progress.Progress();
  await HAR.Writer.Writer.write(stream, ended, { sanitize: false }, progress);
  return [parts.join(''), lost];
}"""


def main():
  session, folder = sys.argv[1], pathlib.Path(sys.argv[2])
  folder.mkdir(parents=True, exist_ok=True)
  name = f"{session}-devtools"
  arguments = ["--no-sandbox", f"--remote-debugging-port={PORT}", "--remote-allow-origins=*"]
  with Served(session, folder / f"{name}.truth.json") as address, sync_playwright() as tool:
    browser = tool.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
    page = browser.new_context().new_page()
    target = page.context.new_cdp_session(page).send("Target.getTargetInfo")["targetInfo"]
    tools = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
    socket = f"127.0.0.1:{PORT}/devtools/page/{target['targetId']}"
    tools.goto(f"http://127.0.0.1:{PORT}/devtools/inspector.html?panel=network&ws={socket}")
    for _ in range(60):
      tools.wait_for_timeout(500)
      if tools.evaluate(READY):
        break
    tools.evaluate(PRESERVE)
    tools.wait_for_timeout(1000)
    page.goto(address)
    page.wait_for_function("document.title === 'finished'", timeout=90_000)
    tools.wait_for_timeout(1000)
    text, lost = tools.evaluate(WRITE)
    (folder / f"{name}.har").write_text(text)
    browser.close()
  leave_out(folder / f"{name}.truth.json", lost, json.loads(text)["log"]["entries"])


def query_of(request):
  address = urlsplit(request["url"])
  pairs = sorted(parse_qsl(address.query))
  return f"{request['method']} {address.path}" + (f"?{urlencode(pairs)}" if pairs else "")


def leave_out(path, lost, entries):
  """Takes out of the truth what the tools cannot have seen: other tabs, and `lost` requests.

  A read whose body went away with its page before it was asked for is marked as `unknown`.
  """
  truth = json.loads(path.read_text())
  paths = [urlsplit(address) for address in lost]
  queries = {f"GET {one.path}?{one.query}" if one.query else f"GET {one.path}" for one in paths}
  for kind in ("reads", "writes", "events"):
    truth[kind] = [one for one in truth[kind] if one["tab"] == "1"
                   and not (one.get("aborted") and one["query"] in queries)]
  for query in {one["query"] for one in truth["reads"] if one["method"] == "GET"}:
    found = [one for one in entries if query == query_of(one["request"])]
    reads = [one for one in truth["reads"] if one["query"] == query and not one.get("cached")]
    for read, entry in zip(reads, found):
      response = entry["response"]
      if response["status"] == 200 and not response["content"].get("text") and not read["failed"]:
        read["unknown"] = True
  path.write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
  main()
