#!/usr/bin/env python3
"""Tests of `compare`: a session written from the truth is equal, and each planted fault is named."""

import copy
import json
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent


def ideal(truth):
  """The lines that a faultless import would write, in milliseconds from the first read."""
  start = min(one["at"] for one in truth["reads"])
  moment = lambda time: int((time - start) * 1e6)
  objects, queries, clients, lines = {}, {}, {}, []
  first, rest, deliveries = [], [], []
  states, latest, asked = [], {}, {}

  def number(table, name, line):
    if name not in table:
      table[name] = len(table)
      first.append(line)
    return table[name]

  def state(name):
    kind, identifier = name.split("/", 1)
    return number(objects, name, {"line": "object", "type": kind, "id": identifier})

  shown = sorted(
    [(one.get("seen", one["at"]), kind, one) for kind in ("reads", "writes", "events")
     for one in truth[kind]], key=lambda one: one[0])
  # States of time zero come first, and are numbered first.
  met = set()
  for _, kind, one in shown:
    for row in one["rows"]:
      is_new = row["as"] not in met
      met.add(row["as"])
      if is_new and kind == "reads" and one["query"] not in asked:
        object_ = state(row["as"])
        latest[row["as"]] = {"state": len(states), "fields": {}}
        states.append(object_)
        first.append({"line": "state", "object": object_, "clock": 1, "device": 1, "bytes": 100})
    if kind == "reads" and not one["failed"]:
      asked[one["query"]] = one["at"]
  asked = {}
  mutations = 0

  def commit(one, rows, **more):
    nonlocal mutations
    items = []
    for row in rows:
      known = latest.get(row["as"])
      if known and "state" in known and not is_changed(known, row):
        items.append({"state": known["state"]})
        continue
      items.append({"object": state(row["as"]), "clock": mutations + 2, "device": 1, "bytes": 100})
      entry = latest.setdefault(row["as"], {"fields": {}})
      entry["state"] = len(states)
      states.append(row["as"])
    items += [{"object": state(name), "deleted": True} for name in one.get("deleted", [])]
    rest.append({"line": "mutation", "kind": "batch", "items": items, **more})
    mutations += 1

  for _, kind, one in shown:
    if one.get("failed") and kind != "reads":
      continue
    client = number(clients, one["tab"], {"line": "client", "name": one["tab"]})
    changed = [row for row in one["rows"] if is_changed(latest.get(row["as"]), row)]
    if kind == "events":
      rest_at = moment(one["at"])
      commit(one, one["rows"], at=rest_at)
      deliveries.append({"line": "delivery", "client": client, "at": rest_at, "mutation": mutations - 1})
    elif kind == "writes":
      commit(one, one["rows"], at=moment(one["until"]), client=client)
    elif kind == "reads":
      for row in changed:
        commit(one, [row], since=moment(seen_last(latest[row["as"]], row)), at=moment(one["until"]))
      for row in [row for row in one["rows"] if row["as"] not in latest]:
        commit(one, [row], since=moment(asked[one["query"]]), at=moment(one["until"]))
      if not one["failed"]:
        asked[one["query"]] = one["at"]
      action = {
        "line": "action", "client": client, "at": moment(one["at"]), "do": "observe",
        "query": number(queries, one["query"], {"line": "query", "name": "q", "limit": 50}),
        "result": [latest[row["as"]]["state"] for row in one["rows"]],
      }
      if one["failed"]:
        action["outcome"] = "failed"
      if one.get("cached") or one.get("unknown"):
        del action["result"]
      if one["reason"] != "user":
        action["forced"] = True
      deliveries.append(action)
    for row in one["rows"]:
      entry = latest.setdefault(row["as"], {"fields": {}})
      entry["fields"].update(row["fields"])
      entry.setdefault("seen", {}).update(
        {name: (one["at"], entry.get("state")) for name in row["fields"]})
  header = {"format": "tidemark-session", "version": 3, "truth": "observed", "name": truth["name"]}
  return [header] + first + rest + deliveries


def differing(entry, row):
  """When each field that differs now was seen last, if that was in the latest state."""
  return [entry["seen"][name][0] for name, value in row["fields"].items()
          if entry["fields"].get(name, value) != value and entry["seen"][name][1] == entry["state"]]


def is_changed(entry, row):
  return bool(entry) and bool(differing(entry, row))


def seen_last(entry, row):
  return min(differing(entry, row))


def compared(lines, truth):
  with tempfile.TemporaryDirectory() as folder:
    session, logged = pathlib.Path(folder, "session.jsonl"), pathlib.Path(folder, "truth.json")
    session.write_text("".join(json.dumps(line) + "\n" for line in lines))
    logged.write_text(json.dumps(truth))
    return subprocess.run([HERE / "compare", session, logged], capture_output=True, text=True)


class CompareTests(unittest.TestCase):

  def setUp(self):
    self.truths = [json.loads(path.read_text())
                   for path in sorted((HERE / "recorded").glob("*.truth.json"))]
    self.assertTrue(self.truths)

  def test_a_faultless_session_is_equal(self):
    for truth in self.truths:
      result = compared(ideal(truth), truth)
      self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

  def assert_named(self, kind, fault):
    """Whether a fault in the lines is found, in each session that has what it damages."""
    found = 0
    for truth in self.truths:
      lines = copy.deepcopy(ideal(truth))
      if not fault(lines):
        continue
      result = compared(lines, truth)
      self.assertEqual(result.returncode, 1, f"{truth['name']}: {result.stdout}{result.stderr}")
      self.assertIn(kind, result.stdout)
      found += 1
    self.assertGreater(found, 0)

  def of(self, lines, kind, has=lambda _: True):
    return [line for line in lines if line.get("line") == kind and has(line)]

  def test_a_lost_read(self):
    def fault(lines):
      lines.remove(self.of(lines, "action")[3])
      return True
    self.assert_named("reads that are missing", fault)

  def test_a_read_too_many(self):
    def fault(lines):
      lines.append(dict(self.of(lines, "action")[3]))
      return True
    self.assert_named("reads that no server saw", fault)

  def test_rows_in_another_order(self):
    def fault(lines):
      self.of(lines, "action", lambda one: len(one.get("result", [])) > 2)[1]["result"].reverse()
      return True
    self.assert_named("rows", fault)

  def test_a_lost_row(self):
    def fault(lines):
      self.of(lines, "action", lambda one: len(one.get("result", [])) > 2)[1]["result"].pop()
      return True
    self.assert_named("rows", fault)

  def test_a_failure_taken_for_an_answer(self):
    def fault(lines):
      failed = self.of(lines, "action", lambda one: one.get("outcome") == "failed")
      for one in failed:
        del one["outcome"]
      return failed
    self.assert_named("failures", fault)

  def test_a_forced_read_taken_for_the_users(self):
    def fault(lines):
      forced = self.of(lines, "action", lambda one: one.get("forced"))
      for one in forced:
        del one["forced"]
      return forced
    self.assert_named("forced", fault)

  def test_a_lost_write(self):
    def fault(lines):
      writes = self.of(lines, "mutation", lambda one: "client" in one)
      for one in writes:
        del one["client"]
      return writes
    self.assert_named("writes", fault)

  def test_a_lost_event(self):
    def fault(lines):
      events = self.of(lines, "delivery")
      for one in events[:1]:
        lines.remove(one)
      return events
    self.assert_named("events", fault)

  def test_a_change_at_a_wrong_time(self):
    def fault(lines):
      inferred = self.of(lines, "mutation", lambda one: "since" in one)
      for one in inferred:
        one["at"], one["since"] = one["since"], one["since"] - 500_000_000
      return inferred
    self.assert_named("changes", fault)

  def test_two_queries_taken_for_one(self):
    def fault(lines):
      for one in self.of(lines, "action"):
        one["query"] = min(one["query"], 1)
      return True
    self.assert_named("queries", fault)


if __name__ == "__main__":
  unittest.main()
