import CacheModel
import Workloads

/// What the server would answer to a query, kept until a commit touches it.
struct Answer: Sendable {
  var rows: [Handle] = []
  var hasMore: Bool { matching > rows.count }
  /// How many objects match, beyond the limit too.
  var matching = 0
  /// The bytes of the rows as compact JSON.
  var bytes = 0
  /// Whether it was ever computed.
  var isKnown = false
  /// How many mutations, and how many changes of files, it shows.
  var mutations = 0
  var fileChanges = 0
}

extension SimulatedServer {
  /// Brings the answer of a query up to date, and returns it.
  mutating func answer(_ query: Int) -> Answer {
    if workload.truth == .observed { return answers[query] }
    let spec = workload.queries[query]
    switch spec.kind {
    case .recents, .media, .search:
      if !answers[query].isKnown {
        computeFromScratch(query, spec, among: liveFiles())
      } else if answers[query].fileChanges < fileChanges.count {
        update(query, spec)
      }
    case .directory, .album, .tag, .albumList, .tagList:
      if !answers[query].isKnown || answers[query].mutations < lastTouch(of: spec) {
        computeFromScratch(query, spec, among: objects(in: spec))
      }
    }
    return answers[query]
  }

  /// Takes what an app recorded for an answer of the server.
  mutating func record(_ rows: [Handle], of query: Int) {
    answers[query].rows = rows
    answers[query].matching = rows.count
    answers[query].bytes = rows.reduce(0) { $0 + Int(catalog.revisions[Int($1.revision)].bytes) }
  }

  /// Sorts what matches among some objects, each given once.
  private mutating func computeFromScratch(
    _ query: Int, _ spec: QuerySpec, among objects: [UInt32]
  ) {
    let limit = Int(spec.limit)
    var best: [SortKey] = []
    var matching = 0
    var bound: SortKey?
    // Most names fail: asked first, from a narrow column.
    let isSearch = spec.kind == .search
    let shift = UInt64(5 * (12 - min(Int(spec.prefixLength), 12)))
    let prefix = spec.subject >> shift
    for object in objects {
      let revision = current[Int(object)]
      guard revision != Self.noRevision else { continue }
      if isSearch, names[Int(revision)] >> shift != prefix { continue }
      guard matches(revision, spec) else { continue }
      matching += 1
      let key = sortKey(revision, spec.kind)
      if let bound, !(key < bound) { continue }
      best.append(key)
      // A window on many: keep no more than a few times its size.
      if best.count >= 2 * limit + 64 {
        best.sort()
        best.removeLast(best.count - limit)
        bound = best.last
      }
    }
    best.sort()
    if best.count > limit { best.removeLast(best.count - limit) }
    keep(best, matching: matching, of: query)
  }

  private mutating func keep(_ best: [SortKey], matching: Int, of query: Int) {
    answers[query].rows = best.map {
      Handle(object: catalog.revisions[Int($0.revision)].object, revision: $0.revision)
    }
    answers[query].bytes = best.reduce(0) { $0 + Int(catalog.revisions[Int($1.revision)].bytes) }
    answers[query].matching = matching
    answers[query].isKnown = true
    answers[query].mutations = applied
    answers[query].fileChanges = fileChanges.count
  }

  /// Brings a library-wide window up to date with the files that changed since.
  ///
  /// If nothing left the window, the new one lies within the old one and what changed; else it is
  /// computed from scratch.
  private mutating func update(_ query: Int, _ spec: QuerySpec) {
    let answer = answers[query]
    let isFull = answer.hasMore
    let last = answer.rows.last.map { sortKey($0.revision, spec.kind) }
    var matching = answer.matching
    var isTouched = false
    for change in fileChanges[answer.fileChanges...] {
      for (revision, sign) in [(change.former, -1), (change.new, 1)] {
        guard revision != Self.noRevision, matches(revision, spec) else { continue }
        matching += sign
        if isTouched { continue }
        guard isFull, let last else {
          isTouched = spec.limit > 0
          continue
        }
        let key = sortKey(revision, spec.kind)
        isTouched = !(last < key)
      }
    }
    answers[query].matching = matching
    if !isTouched {
      answers[query].fileChanges = fileChanges.count
      return
    }
    stamp += 1
    var best: [SortKey] = []
    var left = false
    for row in answer.rows {
      stamps[Int(row.object)] = stamp
      let revision = current[Int(row.object)]
      guard revision != Self.noRevision, matches(revision, spec) else {
        left = true
        continue
      }
      let key = sortKey(revision, spec.kind)
      if let last, last < key { left = true }
      best.append(key)
    }
    if left, isFull {
      computeFromScratch(query, spec, among: liveFiles())
      return
    }
    for change in fileChanges[answer.fileChanges...] where change.new != Self.noRevision {
      let object = catalog.revisions[Int(change.new)].object
      let revision = current[Int(object)]
      guard stamps[Int(object)] != stamp, revision != Self.noRevision else { continue }
      stamps[Int(object)] = stamp
      if matches(revision, spec) { best.append(sortKey(revision, spec.kind)) }
    }
    best.sort()
    if best.count > Int(spec.limit) { best.removeLast(best.count - Int(spec.limit)) }
    keep(best, matching: matching, of: query)
  }

  private mutating func liveFiles() -> [UInt32] {
    if filesChanged {
      files = distinct(files, matching: nil)
      filesChanged = false
    }
    return files
  }

  private mutating func objects(in spec: QuerySpec) -> [UInt32] {
    switch spec.kind {
    case .albumList:
      albums = distinct(albums, matching: nil)
      return albums
    case .tagList:
      tags = distinct(tags, matching: nil)
      return tags
    case .recents, .media, .search: return liveFiles()
    case .directory, .album, .tag:
      guard let holder = UInt32(exactly: spec.subject), let listed = candidates[holder] else {
        return []
      }
      let kept = distinct(listed, matching: spec)
      candidates[holder] = kept
      return kept
    }
  }

  /// The objects that exist, and match where a query is given, once each, in their order.
  private mutating func distinct(_ objects: [UInt32], matching spec: QuerySpec?) -> [UInt32] {
    stamp += 1
    var kept: [UInt32] = []
    kept.reserveCapacity(objects.count)
    for object in objects where stamps[Int(object)] != stamp {
      stamps[Int(object)] = stamp
      let revision = current[Int(object)]
      guard revision != Self.noRevision else { continue }
      if spec.map({ matches(revision, $0) }) ?? true { kept.append(object) }
    }
    return kept
  }
}
