"""Writes what happened to an app's cache, for `tidemark inspect` and `tidemark simulate` to read."""
import itertools
import json
import time
import uuid


class SessionLog:
    """One session of one user; `rows` are lists of (type, id, version, bytes) in the order shown."""

    def __init__(self, name, types, queries, now=time.monotonic_ns):
        self.name, self.types, self.queries = name, types, queries
        self.now, self.begun, self.lines = now, now(), []
        self.objects, self.lists, self.states, self.mutations = {}, {}, set(), 0
        self._line("client", name="app", partitions=[])

    def read(self, query, subject, rows, hit, view=False):
        """A list was asked for; `hit`: it was shown without waiting. `view`: until `leave`."""
        self._act("observe" if view else "read", query, subject, rows, outcome="hit" if hit else "miss")

    def leave(self, query, subject, rows):
        """A view is left that showed these rows."""
        self._act("unobserve", query, subject, rows)

    def changed(self, rows):
        """The server told of new values."""
        self._mutation("changed" if len(rows) == 1 else "batch", [self._state(*row) for row in rows], rows)

    def deleted(self, keys, version):
        """The server told that entities of these (type, id) are gone."""
        items = [{"object": self._object(*key), "deleted": True} for key in keys]
        self._mutation("deleted", items, [], clock=version)

    def text(self):
        """The file so far."""
        field = {"name": "list", "holds": "reference", "to": "list"}, {"name": "place", "holds": "integer"}
        listed = {"where": [{"field": "list", "is": "subject"}], "order": [{"field": "place"}], "rows": 1000}
        header = {"format": "tidemark-session", "version": 2, "truth": "observed", "name": self.name,
                  "duration": self._time() + 1, "library": str(uuid.uuid5(uuid.NAMESPACE_URL, self.name)),
                  "network": {"minimumRoundTrip": 50_000_000, "meanExtra": 20_000_000},
                  "retention": {"events": 1_000_000, "age": 10**18},
                  "model": {"types": [{"name": "list", "fields": []}]
                            + [{"name": name, "fields": field} for name in self.types],
                            "queries": [{"name": name, "lists": [type], **listed}
                                        for name, type in self.queries.items()]}}
        return "".join(json.dumps(line) + "\n" for line in [header] + self.lines)

    def _time(self):
        return self.now() - self.begun

    def _line(self, line, **members):
        self.lines.append({"line": line, **members})

    def _object(self, type, id):
        if (type, id) not in self.objects:
            self.objects[type, id] = len(self.objects)
            self._line("object", type=type, id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{type} {id}")))
        return self.objects[type, id]

    def _state(self, type, id, version, bytes):
        self.states.add((type, id, version))
        return {"object": self._object(type, id), "clock": version, "device": 1, "bytes": bytes}

    def _mutation(self, kind, items, rows, delivered=True, **more):
        at, number, self.mutations = self._time(), self.mutations, self.mutations + 1
        self._line("mutation", at=at, kind=kind, bytes=sum(row[3] for row in rows), items=items, **more)
        if delivered:
            self._line("delivery", client=0, at=at, mutation=number)

    def _act(self, verb, query, subject, rows, **more):
        if (query, subject) not in self.lists:
            about, number = self._object("list", f"{query} {subject}"), len(self.lists)
            self._line("query", method=query, subject=about, limit=1000, order="as-shown")
            self.lists[query, subject] = number
        new = [row for row in rows if row[:3] not in self.states]
        if new:
            self._mutation("batch", [self._state(*row) for row in new], new, delivered=False)
        result = [[self.objects[row[:2]], row[2], 1, row[3]] for row in rows]
        self._line("action", client=0, at=self._time(), do=verb, query=self.lists[query, subject],
                   result=result, **more)


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
