import Workloads

/// A small chat on a bad network.
enum TalkScenario {
  static func workload(seed: UInt64) throws -> Workload {
    let scenario = try Scenario.parse(
      Array(text.utf8), file: "talk.yaml", vocabulary: .unchecked)
    return Workload.generate(scenario, seed: seed)
  }

  /// The same where most lists show summaries, single rows and two lists the whole.
  static func summaries(seed: UInt64) throws -> Workload {
    var text = text.replacing(
      "members: {many: user, mean: 4 users}}}",
      with: "members: {many: user, mean: 4 users}},\n           "
        + "summary: {has: [name, latest], size: 20 %}}")
    text = text.replacing(
      "size: {median: 200 B, p99: 2 kB}",
      with: "size: {median: 200 B, p99: 2 kB}\n      summary: {has: [author, likes], size: 60 B}")
    for list in ["8 rows", "5 rows, cached", "page: 5 rows", "4 rows"] {
      text = text.replacing(list, with: list.replacing("rows", with: "rows, shows: summary"))
    }
    let scenario = try Scenario.parse(
      Array(text.utf8), file: "talk.yaml", vocabulary: .unchecked)
    return Workload.generate(scenario, seed: seed)
  }

  static let text = """
    name: talk
    duration: 5 min
    drain: 30 s
    data:
      entities:
        user: {count: 20 users, size: 300 B, has: {name: text, rooms: {many: room, mean: 2 rooms}}}
        room: {count: 12 rooms, size: 500 B,
               has: {name: text, latest: time, members: {many: user, mean: 4 users}}}
        message:
          count: 200 messages
          size: {median: 200 B, p99: 2 kB}
          has:
            room: {one: room, zipf: 0.9, cascade: yes}
            author: one user
            sent: {time: 1 h}
            body: text
            pinned: {flag: 10 %}
            likes: {integer: 0..3}
            audience: {many: user, from: room.members}
      queries:
        inbox:  {list: room, where: members includes me, order: latest descending, first: 8 rows}
        thread: {list: message, where: room is subject, order: sent descending, page: 5 rows}
        pins:   {list: message, where: [room is subject, pinned],
                 order: [likes descending, sent descending], first: 4 rows}
        mine:   {list: message, where: [audience includes me, likes >= 2], order: sent,
                 first: 10 rows, class: feed}
        search: {list: message, where: body begins with typed, order: sent descending,
                 first: 5 rows, cached-from: 2 letters}
        page:   {list: room, where: id is subject, order: name, first: 1 rows}
        both:   {list: [user, room], order: name, first: 50 rows}
      operations:
        post:  {create: message, touch: room.latest}
        edit:  {set: message.body, prefer: newest}
        like:  {add: message.likes, prefer: popular}
        pin:   {toggle: message.pinned}
        move:  {set: message.room, batch: 3 messages}
        join:  {link: room.members}
        part:  {unlink: room.members}
        drop:  {delete: message, prefer: newest}
        close: {delete: room}
    writers:
      - {name: members, count: 3 devices, rate: 30/min,
         mix: {post: 40 %, edit: 10 %, like: 20 %, pin: 5 %, move: 5 %, join: 6 %, part: 6 %,
               drop: 6 %, close: 2 %}}
    users:
      - name: phone
        clients: 2 clients
        me: user
        think: 1 s
        watched: [inbox]
        mix: {read: 60 %, find: 20 %, feed: 20 %}
        activities:
          read: [visit: inbox, {follow: thread, chance: 90 %}, page-on: 1.5 pages, open: 0.5 rows,
                 {back: 50 %}]
          find: [{type: search, letters: 2 letters}, open: 0.5 rows]
          feed: [visit: mine, open: 0.5 rows, {visit: pins, revisit: 30 %},
                 {visit: page, revisit: 60 %}, visit: thread]
    network: {delay: 60 ms, jitter: 60 ms, round-trip: 120 ms, loss: 3 %, reorder: 5 %,
              duplicate: 2 %, heartbeat: 2 s}
    faults:
      - {kind: partition, at: 100 s, for: 20 s}
      - {kind: server-restart, at: 180 s}
    server: {replay-events: 100 events, replay-age: 10 s}
    policies: [lru]
    """
}
