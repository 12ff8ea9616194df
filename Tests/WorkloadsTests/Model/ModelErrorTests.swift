import Testing

@testable import Workloads

/// Lines 1 to 4 of every scenario below; the entities follow.
private let head = "name: a\nduration: 10 min\ndata:\n  entities:\n"
/// Six more lines, 5 to 10.
private let entities = """
      user: {count: 3 users, size: 300 B, has: {name: text}}
      room: {count: 2 rooms, size: 500 B, has: {members: many user, latest: time}}
      note:
        count: 9 notes
        size: {median: 200 B, p99: 2 kB}
        has: {room: one room, sent: time, body: text, pinned: flag, likes: integer}

  """
private let people = """
  users:
    - {mix: {look: 100 %}, activities: {look: [visit: thread]}}

  """

@Suite("Errors in a declared model")
struct ModelErrorTests {
  static let cases: [BadScenario] = [
    .init(
      "an unknown type",
      head + "    note: {count: 1 notes, size: 1 B, has: {room: one rom}}\n"
        + "    room: {count: 1 rooms, size: 1 B}\n  queries: {}\n",
      "f.yaml:5:51: unknown type `rom`; did you mean `room`?"),
    .init(
      "a kind of field that there is not",
      head + "    note: {count: 1 notes, size: 1 B, has: {a: intger}}\n  queries: {}\n",
      "f.yaml:5:48: `intger` is not a kind of field; did you mean `integer`?"),
    .init(
      "a count of another noun", head + "    note: {count: 9 rooms, size: 1 B}\n  queries: {}\n",
      "f.yaml:5:19: `rooms` is not a unit of a number of notes"),
    .init(
      "a field that is two things",
      head + "    note: {count: 9 notes, size: 1 B, has: {a: {one: note, integer: 1..2}}}\n"
        + "  queries: {}\n",
      "f.yaml:5:48: the field is both `one` and `integer`; write one of `one`"),
    .init(
      "a field that contradicts another",
      head + "    note: {count: 9 notes, size: 1 B, has: {a: {one: note, mean: 2 notes}}}\n"
        + "  queries: {}\n",
      "f.yaml:5:60: `mean` belongs to `many`, and this field says `one`; remove it; `one` takes `zipf`, `cascade` and `tree`"
    ),
    .init(
      "a cycle in deletions",
      head + "    cat: {count: 1 cats, size: 1 B, has: {by: {one: dog, cascade: yes}}}\n"
        + "    dog: {count: 1 dogs, size: 1 B, has: {of: {one: cat, cascade: yes}}}\n"
        + "  queries: {}\n",
      "f.yaml:5:43: `cat` would be deleted with itself: its owners lead back to it, cat → dog → cat;"
    ),
    .init(
      "a counted type of a tree",
      head + tree.replacing("size: 2 B", with: "size: 2 B, count: 3 dirs"),
      "f.yaml:5:29: as many `dir` are made as their tree needs; remove `count`, or the `tree`"),
    .init(
      "a type that is not counted", head + "    note: {size: 1 B}\n  queries: {}\n",
      "f.yaml:5:11: `count` is missing; add it: how many there are when the run begins"),
    .init(
      "a tree of what refers to nothing of its type",
      head + tree.replacing("in: one dir, ", with: ""),
      "f.yaml:6:66: no `dir` refers to another, so that they make no tree; give it one field such as"
    ),
    .init(
      "a tree without its depth", head + tree.replacing("depth: 2 levels, ", with: ""),
      "f.yaml:6:66: `depth` is missing; add it: levels, equally likely"
    ),
    .init(
      "a tree too deep", head + tree.replacing("2 levels", with: "9 levels"),
      "f.yaml:6:74: 9 levels is out of range; choose from 1 to 8 levels"),
    .init(
      "a tree too wide",
      head + tree.replacing("2 levels", with: "8 levels").replacing("3 dirs", with: "900 dirs"),
      "f.yaml:6:66: the tree has place for too many; lower `fan-out`"),
    .init(
      "a tree below itself", head + tree.replacing("3 dirs", with: "3 dirs, below: dir"),
      "f.yaml:6:108: `dir` lies in the tree itself; name the type that it hangs below"),
    .init(
      "a tree of a field that refers to several",
      head + tree.replacing("{one: dir,", with: "{many: dir,"),
      "f.yaml:6:61: `tree` belongs to `one`, and this field says `many`; remove it"),
    .init(
      "a batch beside what is no reference",
      head + tree
        + "  operations:\n    move: {set: note.in, batch: {mean: 2 notes, beside: name}}\n",
      "f.yaml:9:57: `name` is not a reference to one entity; name a field that is `one` of a type"),
    .init(
      "a batch of what is created beside something",
      head + tree + "  operations:\n    add: {create: note, batch: {mean: 2 notes, beside: in}}\n",
      "f.yaml:9:56: `beside` chooses among what exists, and this operation creates; remove it"),
    .init(
      "growth of what is created", head + tree + "  operations: {add: {create: note, grow: 5 B}}\n",
      "f.yaml:8:36: `grow` belongs to `set`, `add`, `toggle`, `link` and `unlink`, and this operation says"
    ),
    .init(
      "a list that is touched and stays as it is",
      head + entities + thread
        + "  operations:\n    add: {set: room.latest, touch: members.name}\n",
      "f.yaml:14:36: `members` is a list that the operation leaves as it is; touch one reference, or"
    ),
    .init(
      "Pareto sizes the wrong way round",
      head
        + "    note: {count: 9 notes, size: {least: 2 kB, most: 1 kB, exponent: 1}}\n  queries: {}\n",
      "f.yaml:5:34: the smallest is not smaller than the largest; lower `least`, or raise `most`"),
    .init(
      "half a Pareto distribution",
      head + "    note: {count: 9 notes, size: {least: 2 kB, most: 9 kB}}\n  queries: {}\n",
      "f.yaml:5:34: this is not one distribution of sizes; write `300 B`"),
    .init(
      "a list whose mean cannot be kept",
      head + "    note: {count: 9 notes, size: 1 B}\n"
        + "    room: {count: 9 rooms, size: 1 B, has: {of: {many: note, mean: 8 notes, zipf: 2.5}}}\n"
        + "  queries: {}\n",
      "f.yaml:6:45: each is held once, so that of 8 notes on average 1.84 would be kept of 9 notes"),
    .init(
      "a size that is two distributions",
      head + "    note: {count: 9 notes, size: {median: 1 B, mean: 2 B}}\n  queries: {}\n",
      "f.yaml:5:34: this is not one distribution of sizes; write `300 B`"),
    .init(
      "an unknown key of an entity",
      head + "    note: {count: 9 notes, size: 1 B, hass: {}}\n  queries: {}\n",
      "f.yaml:5:39: unknown key `hass`; did you mean `has`?"),
    .init(
      "an unknown section", head + entities + "  querys: {}\n",
      "f.yaml:11:3: unknown key `querys`; did you mean `queries`?"),
    .init(
      "a page of nothing",
      head + entities + "  queries:\n"
        + "    thread: {list: note, where: room is subject, order: sent, page: 0 rows}\n",
      "f.yaml:12:69: 0 rows is out of range; choose from 1 to 1000000 rows"),
    .init(
      "a query of an unknown type",
      head + entities + "  queries:\n    thread: {list: notes, order: sent, first: 9 rows}\n",
      "f.yaml:12:20: unknown type `notes`; did you mean `note`?"),
    .init(
      "a filter by an unknown field",
      head + entities
        + "  queries:\n    thread: {list: note, where: rom is subject, order: sent, first: 9 rows}\n",
      "f.yaml:12:33: unknown field of `note` `rom`; did you mean `room`?"),
    .init(
      "a condition that does not fit",
      head + entities
        + "  queries:\n    thread: {list: note, where: likes is subject, order: sent, first: 9 rows}\n",
      "f.yaml:12:33: `likes is subject` is not a condition on an integer; compare it: `likes >= 3`"),
    .init(
      "a page about several types",
      head + entities
        + "  queries:\n    page: {list: [note, room], where: id is subject, order: sent, first: 1 rows}\n",
      "f.yaml:12:39: several types are listed, and a subject is of one; list the type"),
    .init(
      "a condition on an identity that there is not",
      head + entities
        + "  queries:\n    page: {list: note, where: id includes me, order: sent, first: 1 rows}\n",
      "f.yaml:12:31: `id includes me` is not a condition on an entity's identity; write `id is subject`"
    ),
    .init(
      "an order by a reference",
      head + entities + "  queries:\n    thread: {list: note, order: room, first: 9 rows}\n",
      "f.yaml:12:33: `room` is a reference, which has no order"),
    .init(
      "two limits",
      head + entities
        + "  queries:\n    thread: {list: note, order: sent, first: 9 rows, page: 9 rows}\n",
      "f.yaml:12:13: a query has either `first` or `page`"),
    .init(
      "a class that reports have",
      head + entities + "  queries:\n    total: {list: note, order: sent, first: 9 rows}\n",
      "f.yaml:12:12: `total` is a class of all reports"),
    .init(
      "a verb for another field",
      head + entities + thread + "  operations:\n    pin: {toggle: note.likes}\n",
      "f.yaml:14:19: `toggle` does not fit an integer, `likes`"),
    .init(
      "an operation that does two things",
      head + entities + thread + "  operations:\n    pin: {create: note, delete: note}\n",
      "f.yaml:14:10: the operation does two things"),
    .init(
      "users without data", "name: a\nduration: 10 min\n" + people,
      "f.yaml:4:3: `users` act on data, and the scenario has no `data`; add `data`, such as"),
    .init(
      "no data", "name: a\nduration: 10 min\n",
      "f.yaml:1:1: there are no data; add `data`, such as `data: {use: files}`, and `users`"),
    .init(
      "nobody who looks", head + entities + thread, "f.yaml:1:1: no one reads the data"),
    .init(
      "an unknown query in a step",
      head + entities + thread
        + "users:\n  - {mix: {look: 100 %}, activities: {look: [visit: thred]}}\n",
      "f.yaml:14:53: unknown query `thred`; did you mean `thread`?"),
    .init(
      "a step without a view",
      head + entities + thread
        + "users:\n  - {mix: {look: 100 %}, activities: {look: [open: 1 rows]}}\n",
      "f.yaml:14:46: no view is on screen yet; begin with `visit`, `type` or `stroll`"),
    .init(
      "a step behind a view that may not have been opened",
      head + entities + thread
        + "users:\n  - {mix: {look: 100 %}, activities: {look: [{visit: thread, optional: 40 %}, open: 1 rows]}}\n",
      "f.yaml:14:79: which view is on screen behind an optional step is not known; write `chance` there"
    ),
    .init(
      "a row that leads elsewhere",
      head + entities + thread
        + "users:\n  - {mix: {look: 100 %}, activities: {look: [visit: thread, follow: thread]}}\n",
      "f.yaml:14:69: `thread` is about `room`, and the row leads to `note`"),
    .init(
      "pages where there are none",
      head + entities + thread
        + "users:\n  - {mix: {look: 100 %}, activities: {look: [visit: thread, page-on: 1 pages]}}\n",
      "f.yaml:14:70: `thread` has no pages"),
    .init(
      "shares of what is not done",
      head + entities + thread
        + "users:\n  - {mix: {lok: 100 %}, activities: {look: [visit: thread]}}\n",
      "f.yaml:14:12: unknown activity `lok`; did you mean `look`?"),
    .init(
      "a time to live of an unknown query",
      head + entities + thread + people + "cache:\n  time-to-live: {thred: 3 s}\n",
      "f.yaml:16:18: unknown key `time-to-live.thred`; did you mean `time-to-live.thread`?"),
    .init(
      "a cascade by its former name",
      head + "    note: {count: 9 notes, size: 1 B, has: {a: {one: note, owner: yes}}}\n"
        + "  queries: {}\n",
      "f.yaml:5:60: unknown key `owner`; it is now `cascade`"),
    .init(
      "an identity by its former name",
      head + entities
        + "  queries:\n    page: {list: note, where: itself is subject, order: sent, first: 1 rows}\n",
      "f.yaml:12:31: `itself` is not a field; it is now `id`"),
    .init(
      "a revisit by its former name",
      head + entities + thread + steps("{visit: thread, again: 5 %}"),
      "f.yaml:14:77: unknown key `again`; it is now `revisit`"),
    .init(
      "a pin by its former name", head + entities + thread + steps("{tag: 5 %}"),
      "f.yaml:14:62: unknown key `tag`; it is now `pin`"),
    .init(
      "a key of another step",
      head + entities + thread + steps("{visit: thread, keystroke: 1 s}"),
      "f.yaml:14:77: `keystroke` belongs to `type`, and this step says `visit`; remove it; `visit` takes `prefer`, `zipf`, `revisit`, `chance` and `optional`"
    ),
    .init(
      "a choice of what is typed",
      head + entities + thread + steps("{open: 1 rows, prefer: newest}"),
      "f.yaml:14:76: `prefer` belongs to `visit` and `type`, and this step says `open`; remove it; `open` takes `zipf`, `chance` and `optional`"
    ),
    .init(
      "an exponent of no preference",
      head + entities + thread + steps("{visit: thread, prefer: any, zipf: 1.0}"),
      "f.yaml:14:90: `zipf` belongs to what is preferred, and `prefer: any` prefers nothing"),
    .init(
      "a stay with an exponent",
      head + entities + thread + steps("{stay: 1 s, zipf: 1.0}"),
      "f.yaml:14:73: `zipf` belongs to `visit`, `follow`, `open`, `type` and `write`, and this step says `stay`; remove it; `stay` takes `chance`"
    ),
    .init(
      "a preference of what is created",
      head + entities + thread + "  operations:\n    o: {create: note, zipf: 1.0}\n",
      "f.yaml:14:23: `zipf` belongs to `set`, `add`, `toggle`, `link`, `unlink` and `delete`, and this operation says `create`; remove it; `create` takes `batch` and `touch`"
    ),
    .init(
      "a step of what is set",
      head + entities + thread + "  operations:\n    o: {set: note.body, by: 2}\n",
      "f.yaml:14:25: `by` belongs to `add`, and this operation says `set`"),
    .init(
      "a deletion that touches",
      head + entities + thread + "  operations:\n    o: {delete: note, touch: room.latest}\n",
      "f.yaml:14:23: `touch` belongs to `create`, `set`, `add`, `toggle`, `link` and `unlink`, and this operation says `delete`"
    ),
    .init(
      "a touch through two references",
      head + entities + thread + "  operations:\n    o: {create: note, touch: room.members.name}\n",
      "f.yaml:14:30: `room.members.name` leads through more than one reference; touch a field of the entity itself"
    ),
    .init(
      "a choice of a bound",
      head + entities + thread + people
        + "policies:\n  - {name: a, preset: no-cache, retention: cached}\n",
      "f.yaml:16:33: `retention` has no effect: `no-cache` is a bound, which makes its own choices; remove it"
    ),
    .init(
      "a user who is nobody's concern",
      head + entities + thread
        + "users:\n  - {me: user, mix: {look: 100 %}, activities: {look: [visit: thread]}}\n",
      "f.yaml:14:10: no query of the group is about the user, and nothing that it creates refers to a `user`; remove `me`"
    ),
    .init(
      "batches of a group that makes none",
      head + entities + thread
        + "  operations:\n    o: {create: note}\nwriters:\n  - {rate: 1/s, batches-of: index, mix: {o: 100 %}}\n"
        + people,
      "f.yaml:16:29: `batches-of` concerns changes of several entities, and the group makes none"),
    .init(
      "a summary of a field that there is not",
      summary("{has: [title, bdy], size: 20 %}", "shows: summary"),
      "f.yaml:6:37: unknown field of `note` `bdy`; did you mean `body`?"),
    .init(
      "a summary of one field twice",
      summary("{has: [title, title], size: 20 %}", "shows: summary"),
      "f.yaml:6:37: `title` is named twice; remove one of the two"),
    .init(
      "a summary of nothing", summary("{has: [], size: 20 %}", "shows: summary"),
      "f.yaml:6:29: nothing is seen in this summary; name a field of the type"),
    .init(
      "a summary without a size", summary("{has: title}", "shows: summary"),
      "f.yaml:6:23: `size` is missing"),
    .init(
      "a summary of more than everything",
      summary("{has: title, size: 120 %}", "shows: summary"),
      "f.yaml:6:42: 120 % is out of range"),
    .init(
      "a summary larger than the whole", summary("{has: title, size: 1 kB}", "shows: summary"),
      "f.yaml:6:42: the summary is larger than the whole, which has 300 B; lower it, or write a share"
    ),
    .init(
      "a summary with an unknown key", summary("{had: title, size: 20 %}", "shows: summary"),
      "f.yaml:6:24: unknown key `had`; did you mean `has`?"),
    .init(
      "a summary that nobody sees", summary("{has: title, size: 20 %}", "class: a"),
      "f.yaml:6:23: no query shows the summary of `note`; write `shows: summary` in a query"),
    .init(
      "a query that shows something else",
      summary("{has: title, size: 20 %}", "shows: sumary"),
      "f.yaml:8:59: unknown part of an entity `sumary`; did you mean `summary`?"),
    .init(
      "a query that shows a summary that there is not", summary(nil, "shows: summary"),
      "f.yaml:7:59: `note` has no summary to show; give the type one: `summary: {has: [FIELD], size: 20 %}`"
    ),
  ]

  /// A type with a summary, lines 5 and 6, and a list of it.
  private static func summary(_ summary: String?, _ more: String) -> String {
    head + "    note: {count: 9 notes, size: 300 B, has: {title: text, body: text}"
      + (summary.map { ",\n             summary: \($0)}\n" } ?? "}\n")
      + "  queries:\n    any: {list: note, order: title, first: 9 rows, more: 1}\n"
      .replacing("more: 1", with: more)
      + "users:\n  - {mix: {look: 100 %}, activities: {look: [visit: any]}}\n"
  }

  private static func steps(_ step: String) -> String {
    "users:\n  - {mix: {look: 100 %}, activities: {look: [visit: thread, \(step)]}}\n"
  }

  /// Lines 5 to 7.
  private static let tree = """
        dir: {size: 2 B, has: {in: one dir, name: text}}
        note: {count: 9 notes, size: 1 B, has: {in: {one: dir, tree: {depth: 2 levels, fan-out: 3 dirs}}, name: text}}
      queries: {notes: {list: note, order: name, first: 9 rows}}

    """

  private static let thread =
    "  queries:\n    thread: {list: note, where: room is subject, order: sent, first: 9 rows}\n"

  @Test("name the place, the cause and the remedy", arguments: cases)
  func message(_ bad: BadScenario) {
    let error = #expect(throws: ScenarioError.self) {
      try Scenario.parse(Array(bad.yaml.utf8), file: "f.yaml", vocabulary: .unchecked)
    }
    let text = error?.description ?? ""
    #expect(text.hasPrefix(bad.error), "\(text)")
  }

  @Test("A model of 10,000 types is refused immediately")
  func tooManyTypes() {
    let types = (0..<10_000).map { "    t\($0): {count: 1 t\($0)s, size: 1 B}\n" }.joined()
    let error = #expect(throws: ScenarioError.self) {
      try Scenario.parse(
        Array((head + types + "  queries: {}\n").utf8), file: "f.yaml", vocabulary: .unchecked)
    }
    #expect(error?.description.hasPrefix("f.yaml:5:5: 10000 types, the limit is 60") == true)
  }
}
