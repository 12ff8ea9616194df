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
            of: {one: person, zipf: 0.6, owner: yes}
            seers: {many: person, zipf: 0.5, from: of.friends}
            score: {integer: 3..88, starts: 1..2}
            made: {time: 30 d}
            label: text
            hot: {flag: 12 %}
            in: {one: place, tree: {depth: 3 levels, fan-out: 4 places, below: disk}}
        place: {size: {median: 200 B, p99: 3 kB}, has: {within: {one: place, owner: yes}}}
        disk: {count: 3 disks, size: {least: 1 kB, most: 8 kB, exponent: 1.4}}
      queries:
        people: {list: person, order: friend-count, first: 20 rows, class: folk, shows: summary}
        wall:   {list: item, where: [seers includes me, score >= 7], order: [score descending, made], page: 15 rows, shows: summary}
        person: {list: person, where: itself is subject, order: friend-count, first: 1 rows, shows: summary}
        self:   {list: person, where: itself is me, order: friend-count, first: 1 rows}
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
          - {at: 40 min, do: add, count: 800 items, batch: 20 items, rate: 2/s, beside: 6 %, progress: 4 s, announce: whole,
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
            - {visit: by, prefer: newest, zipf: 0.9, again: 30 %}
            - {page-on: 0.4 pages}
            - {open: 1.5 rows, zipf: 1.1, chance: 70 %}
            - {follow: by, of: of, zipf: 1.2}
            - {stay: 6 s}
            - {write: heat, zipf: 0.6}
            - {back: 40 %}
            - {tag: 30 %}
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
      hold: 5 %
      hold-for: 3 s
      heartbeat: 9 s
    faults:
      - {kind: partition, at: 30 min, for: 5 min, client: phone-1}
      - {kind: storage, at: 50 min, for: 6 min, error: full}
      - {kind: relaunch, at: 1 h, every: 40 min}
    server: {replay-events: 300 events, replay-age: 8 min, not-modified: yes}
    cache:
      capacity-entities: 400 entities
      capacity-bytes: 2 MB
      capacity-memory: 3 MB
      limit: hard
      high-watermark: 80 %
      low-watermark: 70 %
      maximum-queries: 33 queries
      time-to-live: 200 s
      time-to-live.wall: 100 s
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
      event-admission: update-only
      membership: mark-stale
      event-admission.watcher: probation
      membership.user: blind
      marks-stale.watcher: [wall]
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

  static let allOfFiles = """
    name: b
    description: One of each, of files.
    duration: 5 h
    library:
      files: 4_000 files
      depth: 2 levels
      fan-out: 9 directories
      media: 35 %
      locations: 2 locations
      albums: 14 albums
      album-size: 22 files
      tags: 17 tags
      tags-per-file: 0.4 tags
      content: {least: 2 kB, most: 1 MB, exponent: 1.2}
    devices:
      - name: laptop
        count: 2 devices
        rate: 3/min
        mix: {create: 20 %, modify: 70 %, tag: 10 %}
        selection: 3 files
        popularity: {distribution: hotspot, hot-share: 15 %, hot-access: 75 %}
        interest: 55 %
        burst: {every: 15 min, operations: 22 operations, rate: 4/s}
      - name: indexer
        index: {at: 30 min, files: 2_000 files, batch: 500 files, batch-rate: 1.5/s, known: 2 %, identify: 60/s,
                identify-batch: 2 files, thumbnails: yes, thumbnail-batch: 40 files, progress: 3 s, bulk-notice: yes}
    sessions:
      - name: tablet
        clients: 2 clients
        mix: {browse: 40 %, search: 25 %, album: 15 %, media: 20 %}
        watched: [albums.list]
        think: {mean: 4 s, distribution: exponential}
        moves: 6 moves
        back: 35 %
        into: 25 %
        revisit: 45 %
        tagged: 5 %
        opens: 0.6 files
        keystroke: 220 ms
        letters: 6 letters
        ask-from: 2 letters
        scrolls: 30 files
        scroll: 450 ms
        redraw: 50 s
        popularity: {distribution: zipf, exponent: 0.8}
        visits: {rate: 6/h, length: 80 s, between: suspended}
        newest: {share: 8 %, age: 2 h, direct: 60 %}
        reaction: waits
        active: [{at: 10 min, for: 4 h}]
    limits: {directory: 900 rows, recents: 90 rows, media: 5_000 rows, album: 800 rows, tag: 700 rows, lists: 600 rows, search: 40 rows}
    goal: {minimise: stale_read_share, zone: 3 %}
    """
}
