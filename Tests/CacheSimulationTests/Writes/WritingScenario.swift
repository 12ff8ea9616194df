import Workloads

/// A few notes on phones whose users write, with all kinds of failures.
enum WritingScenario {
  static func workload(
    seed: UInt64 = 1, writes: String = "{refused: 5 %}", faults: String = allFaults,
    network: String = "loss: 3 %, jitter: 60 ms"
  ) throws -> Workload {
    let scenario = try Scenario.parse(
      Array(text(writes: writes, faults: faults, network: network).utf8), file: "notes.yaml",
      vocabulary: .unchecked)
    return Workload.generate(scenario, seed: seed)
  }

  static let allFaults = """

      - {kind: partition, at: 60 s, for: 60 s}
      - {kind: app-restart, at: 90 s}
      - {kind: errors, at: 150 s, for: 15 s}
      - {kind: unanswered, at: 180 s, for: 20 s}
      - {kind: app-restart, at: 190 s}
      - {kind: server-restart, at: 220 s}
      - {kind: storage, at: 230 s, for: 20 s, error: full}
    """

  static func text(writes: String, faults: String, network: String) -> String {
    """
    name: notes
    duration: 6 min
    drain: 30 s
    warm-up: 0 %
    data:
      entities:
        user:   {count: 5 users, size: 300 B, has: {name: text}}
        folder: {count: 8 folders, size: 250 B, has: {name: text, latest: time}}
        tag:    {count: 6 tags, size: 150 B, has: {name: text}}
        note:
          count: 60 notes
          size: {median: 500 B, p99: 4 kB}
          has:
            folder: {one: folder, zipf: 0.8, cascade: yes}
            by: one user
            tags: {many: tag, mean: 1 tags}
            title: text
            pinned: {flag: 10 %}
            edited: {time: 1 h}
      queries:
        folders: {list: folder, order: latest descending, first: 20 rows}
        recent:  {list: note, order: edited descending, page: 8 rows}
        notes:   {list: note, where: folder is subject, order: edited descending, page: 8 rows}
        pinned:  {list: note, where: pinned, order: edited descending, first: 8 rows}
        tagged:  {list: note, where: tags includes subject, order: title, page: 8 rows}
        mine:    {list: note, where: by is me, order: edited, first: 10 rows}
      operations:
        write:  {set: note.title, prefer: newest, touch: edited}
        add:    {create: note, touch: folder.latest}
        file:   {set: note.folder}
        tag:    {link: note.tags}
        untag:  {unlink: note.tags}
        pin:    {toggle: note.pinned}
        delete: {delete: note}
        open:   {create: folder}
        close:  {delete: folder}
    writers:
      - {name: others, count: 2 devices, rate: 10/min,
         mix: {write: 40 %, add: 25 %, file: 10 %, tag: 5 %, pin: 8 %, delete: 8 %, close: 4 %}}
    users:
      - name: phone
        clients: 2 clients
        me: user
        think: 1 s
        watched: [mine]
        writes: \(writes)
        mix: {edit: 40 %, add: 30 %, tidy: 20 %, look: 10 %}
        activities:
          edit: [visit: recent, {open: 0.5 rows}, {write: write}, {write: pin, chance: 50 %}]
          add:  [visit: folders, {follow: notes}, {write: add}, {write: write}, {write: tag}]
          tidy: [visit: pinned, {write: file}, {write: delete, chance: 50 %}, visit: folders,
                 {write: open, chance: 30 %}, {write: close, chance: 20 %}]
          look: [{visit: tagged, revisit: 30 %}, {write: untag, chance: 50 %}, visit: mine, {write: pin}]
    network: {delay: 60 ms, round-trip: 120 ms, heartbeat: 2 s, \(network)}
    faults: \(faults)
    server: {replay-events: 200 events, replay-age: 30 s}
    policies: [lru]
    """
  }
}
