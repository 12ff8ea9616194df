#!/usr/bin/env python3
"""Records a session of one of our servers with the browser's own developer tools.

    record-devtools.py SESSION FOLDER

opens the developer tools on the page, with the log preserved, and has their own writer make
FOLDER/SESSION-devtools.har; FOLDER/SESSION-devtools.truth.json is what the server logged.
"""

import pathlib
import sys

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
  const progress = new Common.Progress.Progress();
  await HAR.Writer.Writer.write(stream, requests, { sanitize: false }, progress);
  return parts.join('');
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
    (folder / f"{name}.har").write_text(tools.evaluate(WRITE))
    browser.close()


if __name__ == "__main__":
  main()
