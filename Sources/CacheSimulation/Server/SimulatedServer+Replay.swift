import CacheModel
import NormalizedCacheCore
import Workloads

/// The sizes of transfers, in bytes.
enum TransferSize {
  /// Status line, headers and envelope of a response; an assumption, equal to an event's envelope.
  static let envelope = 100
  /// A request or a heartbeat: an envelope with little content.
  static let request = 100
  static let heartbeat = 100
  /// One invalidation tag as JSON: a location, a type, punctuation; an assumption.
  static let tag = 60
}

extension SimulatedServer {
  /// Returns a position in the workload's only stream.
  func place(_ position: StreamPosition) -> EventEnvelope<Handle>.Place {
    EventPlace(stream: StreamID(library: workload.library), position: position)
  }

  func event(of mutation: Mutation) -> EventEnvelope<Handle> {
    let range = mutation.items
    let event: CacheEvent<Handle>
    switch mutation.kind {
    case .changed where mutation.carries == .ids, .batchChanged where mutation.carries == .ids:
      event = .partlyDecoded(
        [],
        undecodable: range.map {
          let key = catalog.objects[Int(items[$0].object)]
          return UndecodableItem(type: key.type, id: key.id, mayEnterLists: true)
        })
    case .changed where range.count == 1, .batchChanged where range.count == 1:
      event = .changed(entity(items[range.lowerBound].revision))
    case .changed, .batchChanged:
      event = .batchChanged(range.map { entity(items[$0].revision) })
    case .deleted:
      event = .deleted(
        range.map { catalog.objects[Int(items[$0].object)] }, version: mutation.version)
    case .bulkNotice(let location, let type, let token):
      let tag = InvalidationTag(
        library: workload.library,
        location: location.map { catalog.objects[Int($0)].id }, resourceType: type)
      event = .bulkNotice(scope: tag, count: range.count, token: token)
    case .infrastructure:
      event = .infrastructure
    }
    var envelope = EventEnvelope(
      place: mutation.isPlaced ? place(mutation.position) : nil, event: event,
      origin: mutation.origin)
    if let write = mutation.write {
      envelope.mutation = WriteNames.token(of: write)
      envelope.keys = keys(ofWrite: write)
    }
    return envelope
  }

  func entity(_ revision: UInt32) -> VersionedEntity<Handle> {
    var entity = order.entities[Int(revision)]
    if let writing { entity.version = writing.versions[Int(revision)] }
    return entity
  }

  /// Returns the answer to a reconcile, and its size in bytes.
  func reconcile(
    after position: StreamPosition, form: ReconcileForm, at now: Instant
  ) -> (response: ReconcileResponse<Handle>, bytes: Int) {
    guard let missed = missed(after: position, at: now) else {
      return (.tooOld(now: self.position), TransferSize.envelope)
    }
    switch form {
    case .events:
      let told = missed.filter { mutations[$0].isPlaced }
      let bytes = told.reduce(TransferSize.envelope) { $0 + mutations[$1].bytes }
      let events = told.map { event(of: mutations[$0]) }
      return (.events(events, through: self.position), bytes)
    case .outline:
      let tags = outline(of: missed)
      return (
        .outline(tags, through: self.position),
        TransferSize.envelope + tags.count * TransferSize.tag
      )
    }
  }

  /// Returns whether the event at a position contains only changed fields.
  ///
  /// O(log mutations).
  func carriesChanges(at position: StreamPosition) -> Bool {
    let next = firstMutation(after: position)
    return next > 0 && mutations[next - 1].position == position
      && mutations[next - 1].carries == .changes
  }

  /// Returns the mutations after a position; `nil` if some of them are no longer kept.
  private func missed(after position: StreamPosition, at now: Instant) -> Range<Int>? {
    guard position.epoch == self.position.epoch else { return nil }
    let low = firstMutation(after: position)
    guard low < applied else { return applied..<applied }
    let age = mutations[low].at.duration(to: now)
    guard applied - low <= workload.retention.events, age <= workload.retention.age else {
      return nil
    }
    return low..<applied
  }

  /// Returns the first mutation after a position; the number of applied mutations if there is none.
  private func firstMutation(after position: StreamPosition) -> Int {
    var low = 0
    var high = applied
    while low < high {
      let middle = (low + high) / 2
      let its = mutations[middle].position
      if its.epoch < position.epoch
        || its.epoch == position.epoch && its.sequence <= position.sequence
      {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Returns the data affected by some mutations: the type and location of each item, before and after;
  /// without duplicates, in order of first occurrence.
  private func outline(of mutations: Range<Int>) -> [InvalidationTag] {
    var tags: [InvalidationTag] = []
    var known: Set<InvalidationTag> = []
    func add(_ location: UInt32?, _ type: ResourceType?) {
      let tag = InvalidationTag(
        library: workload.library,
        location: location.map { catalog.objects[Int($0)].id }, resourceType: type)
      if known.insert(tag).inserted { tags.append(tag) }
    }
    for mutation in self.mutations[mutations] {
      if case .bulkNotice(let location, let type, _) = mutation.kind { add(location, type) }
      for index in mutation.items {
        let item = items[index]
        for revision in [replaced[index], item.revision] where revision != Self.noRevision {
          let location = catalog.revisions[Int(revision)].location
          add(
            location == Revision.noObject ? nil : location,
            catalog.objects[Int(item.object)].type)
        }
      }
    }
    return tags
  }
}

extension SimulatedServer {
  /// Returns the time of the earliest commit that a served result misses; `nil` if every row is current and
  /// none is absent that belongs in its window.
  ///
  /// A served row misses the commit that superseded it. A row of the ground truth that was not served misses
  /// the commit since which its object has been in the served window; a row that would not be there has only
  /// moved up, and another row misses the commit. In a list of summaries a row is current as long as it looks
  /// the same; only if all do, in another order, each misses the commit that superseded it. O(rows).
  mutating func earliestMissedCommit(
    served: [Handle], truth: [Handle], _ query: Int
  ) -> Int64? {
    let spec = workload.queries[query]
    if seen.areSummaries(query),
      let missed = earliestMissedCommit(
        served: served, truth: truth, spec, since: { $0.looksOutdatedSince($1) })
    {
      return missed
    }
    return earliestMissedCommit(
      served: served, truth: truth, spec, since: { $0.supersededAt[Int($1)] })
  }

  /// Returns when a state's summary became outdated; `Int64.max`: it has not.
  private borrowing func looksOutdatedSince(_ revision: UInt32) -> Int64 {
    var last = Int(revision)
    // A log may have a state twice, so that states succeed one another in a circle.
    while case let next = successor[last], next != Self.noRevision,
      committedAt[Int(next)] > committedAt[last], seen.areAlike(revision, next)
    {
      last = Int(next)
    }
    return supersededAt[last]
  }

  @inline(__always)
  private mutating func earliestMissedCommit(
    served: [Handle], truth: [Handle], _ spec: QuerySpec,
    since outdated: (borrowing SimulatedServer, UInt32) -> Int64
  ) -> Int64? {
    guard let section = order.section(of: spec) else { return nil }
    let range = order.range(of: spec, inSection: section)
    stamp += 1
    var earliest = Int64.max
    for row in served {
      stamps[Int(row.object)] = stamp
      earliest = min(earliest, outdated(self, row.revision))
    }
    let last: SortKey? =
      served.count < Int(spec.limit)
      ? nil : served.last.map { order.sortKey($0.revision, inSection: section) }
    for row in truth where stamps[Int(row.object)] != stamp {
      let window = Window(section: section, range: range, last: last)
      guard stands(row.revision, in: window) else { continue }
      var first = row.revision
      while case let before = predecessor[Int(first)], before != Self.noRevision,
        stands(before, in: window)
      {
        first = before
      }
      earliest = min(earliest, committedAt[Int(first)])
    }
    return earliest == .max ? nil : earliest
  }

  /// The served part of a list.
  private struct Window {
    var section: Int
    var range: Range<Int>
    /// The sort key of its last row, if there may be more.
    var last: SortKey?
  }

  private func stands(_ revision: UInt32, in window: Window) -> Bool {
    guard let entry = order.entry(of: revision, inSection: window.section),
      window.range.contains(entry)
    else { return false }
    return window.last.map { order.sortKey(revision, inSection: window.section) < $0 } ?? true
  }
}
