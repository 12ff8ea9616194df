/// Scenarios that say something of every key.
extension ReadBackTests {
  static let allOfApps = """
    name: a
    description: One of each.
    seed: 3
    duration: 5 h
    drain: 2 min
    warm-up: 15 %
    data:
      entities:
        person: {count: 30 persons, size: {mean: 400 B, deviation: 50 B}, has: {friends: {many: person, mean: 4 persons, zipf: 0.7}},
                 summary: {has: friend-count, size: 30 %}}
        item:
          count: 900 items
          size: {table: [100 B, 300 B, 9 kB]}
          summary: {has: [score, label], size: 90 B}
          has:
            of: {one: person, zipf: 0.6, cascade: yes}
            seers: {many: person, zipf: 0.5, from: of.friends}
            score: {integer: 3..88, starts: 1..2}
            made: {time: 30 d}
            label: text
            hot: {flag: 12 %}
            in: {one: place, tree: {depth: 3 levels, fan-out: 4 places, below: disk}}
        place: {size: {median: 200 B, p99: 3 kB}, has: {within: {one: place, cascade: yes}}}
        disk: {count: 3 disks, size: {least: 1 kB, most: 8 kB, exponent: 1.4}}
      queries:
        people: {list: person, order: friend-count, first: 20 rows, class: folk, shows: summary}
        wall:   {list: item, where: [seers includes me, score >= 7], order: [score descending, made], page: 15 rows, shows: summary}
        person: {list: person, where: id is subject, order: friend-count, first: 1 rows, shows: summary}
        self:   {list: person, where: id is me, order: friend-count, first: 1 rows}
        by:     {list: item, where: [of is subject, not hot], order: made, page: 11 rows, shows: summary}
        find:   {list: item, where: label begins with typed, order: made, first: 9 rows, cached-from: 3 letters}
      operations:
        add:  {create: item, touch: of.friend-count}
        like: {add: item.score, by: -3, prefer: popular, zipf: 0.8, batch: 5 items}
        heat: {toggle: item.hot, prefer: newest, zipf: 0.7}
        join: {link: person.friends, prefer: popular}
        drop: {delete: item}
        leave: {unlink: person.friends}
        rate: {set: item.score, grow: 70 B, batch: {mean: 3 items, beside: of}}
    writers:
      - {name: crowd, count: 4 devices, rate: 12/h, batches-of: watcher, near-views: 35 %, mix: {add: 40 %, like: 45 %, join: 15 %},
         burst: {every: 40 min, operations: 7 operations, rate: 3/s}}
      - name: finder
        jobs:
          - {at: 40 min, do: add, count: 800 items, batch: 20 items, rate: 2/s, beside: 6 %, progress: 4 s, announce: notice,
             then: [{do: rate, rate: 30/s, batch: 2 items, when: hot, after: 3 s}]}
    users:
      - name: phone
        clients: 3 clients
        me: person
        watched: [wall]
        visits: {rate: 5/h, length: 90 s, between: suspended}
        active: [{at: 20 min, for: 3 h}]
        think: {mean: 4 s, distribution: exponential}
        redraw: 45 s
        reaction: waits
        writes: {through: request, shown: confirmed, refused: 3 %}
        mix: {look: 55 %, seek: 25 %, wander: 12 %, hear: 8 %}
        activities:
          look:
            - {visit: by, prefer: newest, zipf: 0.9, revisit: 30 %}
            - {page-on: 0.4 pages}
            - {open: 1.5 rows, zipf: 1.1, chance: 70 %}
            - {follow: by, of: of, zipf: 1.2}
            - {stay: 6 s, optional: 35 %}
            - {write: heat, zipf: 0.6}
            - {back: 40 %}
            - {pin: 30 %}
            - {pull: 20 %}
            - {follow: person, of: of, zipf: 0.7}
            - {visit: self}
          seek:
            - {type: find, letters: 6 letters, keystroke: 300 ms, ask-from: 2 letters}
          wander:
            - stroll: {through: by, moves: 6, back: 35 %, descend: 25 %, revisit: 45 %, opens: 0.6, pin: 5 %}
            - {scroll: 30, pause: 450 ms}
          hear:
            - {notified: item, within: 2 h, in: by, direct: 55 %}
    events: {carry: changes}
    network:
      delay: 7 ms
      jitter: 8 ms
      round-trip: 21 ms
      round-trip-jitter: 13 ms
      bandwidth: 3 MB/s
      loss: 2 %
      reorder: 3 %
      reorder-delay: 120 ms
      duplicate: 4 %
      stall: 5 %
      stall-for: 3 s
      heartbeat: 9 s
    faults:
      - {kind: partition, at: 30 min, for: 5 min, client: phone-1}
      - {kind: partition, at: 2 h, for: 5 min, client: phone-2}
      - {kind: storage, at: 50 min, for: 6 min, error: full}
      - {kind: app-restart, at: 1 h, every: 40 min}
    server: {replay-events: 300 events, replay-age: 8 min, not-modified: yes}
    cache:
      capacity-entities: 400 entities
      capacity-bytes: 2 MB
      capacity-memory: 3 MB
      limit: hard
      high-watermark: 80 %
      low-watermark: 70 %
      maximum-queries: 33 queries
      time-to-live: {default: 200 s, wall: 100 s}
      stale-while-revalidate: 20 s
      stale-if-error: 30 s
      reorder-window: 250 ms
      eviction-order: sieve
      admission: tinylfu
      time-to-live-from: request
      retention: observed
      release-buffer-queries: 12 queries
      release-buffer-age: 40 s
      release-buffer-reads: ignored
      drops-expired: yes
      event-admission: {default: update-only, watcher: probation}
      membership: {default: mark-stale, user: blind}
      marks-stale: {watcher: [wall]}
      gap-response: full-invalidation
      coalescing-window: 100 ms
      poll-interval: 50 s
      storage: yes
      disk-bytes: 4 MB
      flush-window: 600 ms
    policies:
      - lru
      - {name: own, preset: ttl, time-to-live: 90 s}
    goal: {maximise: fresh_hit_ratio, subject-to: ['stale_read_share <= 2 %'], stale-weight: 0.5, zone: 1.5 points}
    targets:
      - {metric: hit_ratio, class: folk, at-least: 40 %, policies: [own]}
    """.replacing("has: {friends:", with: "has: {friend-count: {integer: 0..50}, friends:")

  static let allOfTrees = """
    name: b
    description: One of each, of what hangs together in a tree.
    duration: 5 h
    data:
      entities:
        disk: {count: 2, size: {least: 900 B, most: 40 kB, exponent: 1.1}, has: {name: text}}
        folder: {size: 800 B, has: {in: {one: folder, cascade: yes}, name: text}}
        file:
          count: 4_000
          size: {least: 2 kB, most: 1 MB, exponent: 1.2}
          has:
            in: {one: folder, tree: {depth: 2, fan-out: 9, below: disk}, cascade: yes}
            name: text
            made: {time: 20 d}
            media: {flag: 35 %}
            seen: flag
            labels: {many: label, mean: 0.4, zipf: 0.7}
        label: {count: 8, size: {median: 100 B, p99: 900 B}, has: {name: text, used: {time: 9 d}}}
      queries:
        inside: {list: [file, folder], where: in is subject, order: name, first: 900}
        latest: {list: file, order: made descending, first: 90}
        labelled: {list: file, where: labels includes subject, order: name, first: 700}
        find: {list: file, where: name begins with typed, order: name, first: 40}
      operations:
        add: {create: file}
        move: {set: file.in, batch: {mean: 3, beside: in}}
        label: {toggle: file.labels, prefer: popular, zipf: 0.8, batch: {mean: 2, beside: in}, touch: labels.used}
        unlabel: {unlink: file.labels}
        edit: {set: file.name, grow: 516 B}
        drop: {delete: folder}
        see: {toggle: file.seen}
    writers:
      - {name: laptop, count: 2, rate: 3/min, near-views: 55 %,
         mix: {add: 20 %, move: 15 %, label: 25 %, unlabel: 8 %, edit: 30 %, drop: 2 %}}
      - name: indexer
        jobs:
          - at: 30 min
            do: add
            count: 4_000 files
            batch: 1_000 files
            rate: 1.5/s
            beside: 2 %
            then:
              - {do: see, rate: 60/s, batch: 2 files}
              - {do: edit, when: media, batch: 40 files, after: 300 ms}
            progress: 3 s
            announce: notice
    users:
      - name: tablet
        clients: 2
        think: 4 s
        reaction: waits
        mix: {walk: 40 %, look: 15 %, scroll: 20 %, find: 10 %, new: 15 %}
        activities:
          walk: [{stroll: {through: inside, moves: 6, back: 35 %, descend: 25 %, revisit: 45 %, opens: 0.6, pin: 5 %}}]
          look: [{visit: labelled, zipf: 0.8}, {open: 0.7}]
          scroll: [visit: latest, {scroll: 30, pause: 450 ms}]
          find: [{type: find, letters: 6, prefer: any}]
          new: [{notified: file, within: 2 h, in: inside, direct: 60 %}]
    goal: {minimise: stale_read_share, zone: 3 %}
    """
}
