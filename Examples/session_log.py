"""Writes what happened to an app's cache, for `tidemark explain` and `tidemark simulate` to read."""
import itertools
import json
import time


class SessionLog:
    """One session of one user; `rows` are lists of (type, id, version, bytes) in the order shown."""

    def __init__(self, name, types, queries, now=time.monotonic_ns):
        self.name, self.types, self.queries = name, types, queries
        self.now, self.begun = now, now()
        self.objects, self.lists, self.lines, self.mutations, self.longest = {}, {}, [], 0, 1000
        # By (type, id, version): those at the beginning, and those of mutations.
        self.initial, self.later = {}, {}
        self.homes = {}  # By the number of an object: the list that first showed it.

    def read(self, query, subject, rows, hit, view=False):
        """A list was asked for; `hit`: it was shown without waiting. `view`: until `leave`."""
        self._act("observe" if view else "read", query, subject, rows, outcome="hit" if hit else "miss")

    def leave(self, query, subject, rows):
        """A view is left that showed these rows."""
        self._act("unobserve", query, subject, rows)

    def changed(self, rows):
        """The server told of new values."""
        self._mutation("changed" if len(rows) == 1 else "batch", [self._item(row) for row in rows], rows)

    def deleted(self, keys, version):
        """The server told that entities of these (type, id) are gone."""
        items = [{"object": self._object(*key), "deleted": True} for key in keys]
        self._mutation("deleted", items, [], clock=version)

    def text(self):
        """The file so far."""
        own = "list"
        while own in self.types:
            own += "-own"  # The app has a type of that name.
        field = {"name": "list", "holds": "reference", "to": own}
        about = [{"field": "list", "is": "subject"}]
        header = {"format": "tidemark-session", "version": 3, "truth": "observed", "name": self.name,
                  "duration": self._time() + 1, "library": "00000000-0000-4000-8000-000000000001",
                  "network": {"minimumRoundTrip": 50_000_000, "meanExtra": 20_000_000},
                  "retention": {"events": 1_000_000, "age": 10**18},
                  "model": {"types": [{"name": own}]
                            + [{"name": name, "fields": [field]} for name in self.types],
                            "queries": [{"name": name, "lists": [type], "where": about}
                                        for name, type in self.queries.items()]}}
        objects = [{"line": "object", "type": own if type is None else type, "id": str(number)}
                   for number, (type, _) in enumerate(self.objects)]
        for state in [*self.initial.values(), *self.later.values()]:
            # One without its list would leave it, and the next would move there.
            if state["object"] in self.homes:
                state["fields"] = {"list": self.homes[state["object"]]}
        states = [{"line": "state", **state} for state in self.initial.values()]
        queries = [{"line": "query", "name": query, "subject": about, "limit": self.longest}
                   for (query, _), (_, about) in self.lists.items()]
        # States are numbered in the order of their lines.
        numbers = {row: number for number, row in enumerate([*self.initial, *self.later])}
        lines = [header, *objects, *states, *queries, {"line": "client", "name": "app"}]
        for line in self.lines:
            if "result" in line:
                line = {**line, "result": [numbers[row] for row in line["result"]]}
            elif "items" in line:
                items = [{"state": numbers[item]} if isinstance(item, tuple) else item for item in line["items"]]
                line = {**line, "items": items}
            lines.append(line)
        return "".join(json.dumps(line) + "\n" for line in lines)

    def _time(self):
        return self.now() - self.begun

    def _object(self, type, id):
        return self.objects.setdefault((type, id), len(self.objects))

    def _state(self, row, states):
        type, id, version, bytes = row
        state = {"object": self._object(type, id), "clock": version, "device": 1, "bytes": bytes}
        states[row[:3]] = state
        return state

    def _item(self, row):
        """A new state, or the name of one that the file has."""
        known = row[:3] in self.initial or row[:3] in self.later
        return row[:3] if known else self._state(row, self.later)

    def _mutation(self, kind, items, rows, delivered=True, **more):
        at, number, self.mutations = self._time(), self.mutations, self.mutations + 1
        bytes = sum(row[3] for row in rows)
        self.lines.append({"line": "mutation", "at": at, "kind": kind, "bytes": bytes, "items": items, **more})
        if delivered:
            self.lines.append({"line": "delivery", "client": 0, "at": at, "mutation": number})

    def _act(self, verb, query, subject, rows, **more):
        if (query, subject) not in self.lists:
            about = self._object(None, (query, subject))  # A list is an object, too, but of no type of the app.
            self.lists[query, subject] = len(self.lists), about
            self._state((None, (query, subject), 1, 1), self.initial)
        number, about = self.lists[query, subject]
        self.longest = max(self.longest, len(rows))
        for row in rows:
            if row[:2] not in self.objects:
                self._state(row, self.initial)  # Nothing told of it, so it was there at the beginning.
        seen = [row for row in rows if row[:3] not in self.initial and row[:3] not in self.later]
        if seen:
            self._mutation("batch", [self._item(row) for row in seen], seen, delivered=False)
        for row in rows:
            self.homes.setdefault(self.objects[row[:2]], about)
        self.lines.append({"line": "action", "client": 0, "at": self._time(), "do": verb, "query": number,
                           "result": [row[:3] for row in rows], **more})


if __name__ == "__main__":
    seconds = itertools.count(0, 10**9)
    log = SessionLog("python-chat", ["message"], {"thread": "message"}, now=lambda: next(seconds))
    rows = [("message", number, 1, 200) for number in range(3)]
    log.read("thread", "garden", rows, hit=False, view=True)
    log.changed([("message", 3, 1, 180)])
    log.leave("thread", "garden", [("message", 3, 1, 180)] + rows)
    log.read("thread", "garden", [("message", 3, 1, 180)] + rows, hit=True)
    log.deleted([("message", 0)], 2)
    log.read("thread", "garden", [("message", 3, 1, 180)] + rows[1:], hit=True)
    print(log.text(), end="")
