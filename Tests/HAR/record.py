#!/usr/bin/env python3
"""Records a session of one of our servers in Chromium, as Playwright writes HAR files.

    record.py SESSION FOLDER

writes FOLDER/SESSION.har and FOLDER/SESSION.truth.json. Needs Playwright 1.65 or later (pip) and
/usr/bin/chromium.
"""

import pathlib
import signal
import subprocess
import sys

from playwright.sync_api import sync_playwright

HERE = pathlib.Path(__file__).parent


class Served:
  """A server of this folder, for the length of a `with`."""

  def __init__(self, session, truth):
    self.command = ["node", str(HERE / "servers" / f"{session}.mjs"), str(truth)]

  def __enter__(self):
    self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
    port = self.process.stdout.readline().split()[0]
    return f"http://127.0.0.1:{port}/"

  def __exit__(self, *_):
    self.process.send_signal(signal.SIGTERM)
    self.process.wait(10)


def main():
  session, folder = sys.argv[1], pathlib.Path(sys.argv[2])
  folder.mkdir(parents=True, exist_ok=True)
  with Served(session, folder / f"{session}.truth.json") as address, sync_playwright() as tool:
    browser = tool.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    context = browser.new_context(
      record_har_path=folder / f"{session}.har", record_har_content="embed")
    page = context.new_page()
    page.goto(address)
    page.wait_for_function("document.title === 'finished'", timeout=90_000)
    context.close()
    browser.close()


if __name__ == "__main__":
  main()
