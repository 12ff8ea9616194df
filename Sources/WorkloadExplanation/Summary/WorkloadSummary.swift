import CacheModel
package import Workloads

/// Counts of a workload's own stream, generated or recorded.
///
/// A field of a scenario is a parameter; these are its results. For example, `revisit` of a stroll is a share
/// of beginnings and leaps, not of views.
package struct WorkloadSummary: Sendable {
  package var clients = 0
  /// The number of users' query reads, in views and without.
  package var queryReads = 0
  /// The number of opened entities, and of those outside of any view.
  package var opens = 0
  package var opensWithoutView = 0
  /// The number of reads that views repeated by themselves.
  package var redraws = 0
  /// The number of users' changes.
  package var writes = 0
  /// The number of users' reads of queries and entities after the warm-up, the basis of results.
  package var countedReads = 0
  /// The number of query reads that the same client had asked before.
  package var seenBefore = 0
  /// The number of query reads equal to the same client's last one, and to its visible one.
  package var selfRevisits = 0
  /// The number of opened entities younger than the given age.
  package var newReads = 0
  /// The number of commits, of those that changed or deleted existing entities, and of those that affected a
  /// viewed one: the argument of a query, or an entity that references it.
  package var commits = 0
  package var edits = 0
  package var editsOfViewed = 0
  /// Whether any query has an argument that its rows reference, such as a directory.
  package var hasSubjects = true
  /// The size of all commits' events in bytes, each counted once.
  package var eventBytes = 0
  package var objectsAtStart = 0
  package var bytesAtStart = 0

  package var reads: Int { queryReads + opens }

  /// Counts in one pass; O(actions + mutations) plus sorting.
  package init(of workload: Workload, age: Duration? = nil) {
    clients = workload.clients.count
    let born = Self.births(in: workload)
    let warm = Instant.zero.advanced(by: workload.warmUp)
    for client in workload.clients {
      var asked = [Bool](repeating: false, count: workload.queries.count)
      var last: UInt32?
      func countQuery(_ query: UInt32, _ summary: inout WorkloadSummary) {
        summary.queryReads += 1
        if asked[Int(query)] { summary.seenBefore += 1 }
        if last == query { summary.selfRevisits += 1 }
        asked[Int(query)] = true
        last = query
      }
      for action in client.actions {
        if action.at >= warm, action.kind.isReadOfUser { countedReads += 1 }
        switch action.kind {
        case .read(let query), .observe(let query): countQuery(query, &self)
        case .redraw: redraws += 1
        case .open(let object, let view):
          opens += 1
          if view == nil { opensWithoutView += 1 }
          if let age, let birth = born[Int(object)], action.at < birth.advanced(by: age) {
            newReads += 1
          }
        case .write: writes += 1
        case .unobserve, .tag, .maintenance: break
        }
      }
    }
    countEdits(of: workload)
    let initial = workload.catalog.revisions.prefix(workload.catalog.initialCount)
    objectsAtStart = initial.count
    bytesAtStart = initial.reduce(0) { $0 + Int($1.bytes) }
  }

  /// Returns the creation time of each object; `nil` for initial ones.
  static func births(in workload: Workload) -> [Instant?] {
    var births = [Instant?](repeating: nil, count: workload.catalog.objects.count)
    var exists = [Bool](repeating: false, count: births.count)
    for revision in workload.catalog.revisions.prefix(workload.catalog.initialCount) {
      exists[Int(revision.object)] = true
    }
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] where !exists[Int(item.object)] {
        exists[Int(item.object)] = true
        births[Int(item.object)] = mutation.at
      }
    }
    return births
  }

  private mutating func countEdits(of workload: Workload) {
    let revisions = workload.catalog.revisions
    var current = [UInt32?](repeating: nil, count: workload.catalog.objects.count)
    for index in 0..<workload.catalog.initialCount {
      current[Int(revisions[index].object)] = UInt32(index)
    }
    // The fields that assign a type's entities to an argument, by type.
    let fields = workload.model.types.indices.map { type in
      workload.model.shapes.filter { $0.types.contains(type) }.compactMap(\.subjectReference)
    }
    hasSubjects = fields.contains { !$0.isEmpty }
    var viewed = [Bool](repeating: false, count: current.count)
    let views = workload.clients.flatMap(\.actions).sorted { $0.at < $1.at }
    var next = 0
    for mutation in workload.mutations {
      commits += 1
      eventBytes += mutation.bytes
      while next < views.count, views[next].at < mutation.at {
        if case .observe(let query) = views[next].kind,
          case let spec = workload.queries[Int(query)],
          workload.model.shape(of: spec.kind)?.subjectReference != nil,
          spec.subject < UInt64(viewed.count)
        {
          viewed[Int(spec.subject)] = true
        }
        next += 1
      }
      // The first item is the operation's target; the others are its selection or subtree.
      let items = workload.items[mutation.items]
      if let item = items.first, let before = current[Int(item.object)] {
        edits += 1
        let type = Int(workload.catalog.objects[Int(item.object)].type.rawValue) - 1
        let subjects = fields[type].map {
          Int(UInt32(truncatingIfNeeded: workload.catalog.word($0.slot, of: before)))
        }
        if viewed[Int(item.object)] || subjects.contains(where: { $0 < viewed.count && viewed[$0] })
        {
          editsOfViewed += 1
        }
      }
      for item in items {
        current[Int(item.object)] = item.revision == MutationItem.deleted ? nil : item.revision
      }
    }
  }
}

package struct TypeProfile: Sendable {
  package let name: String
  /// The number and the sizes in bytes of initial entities; `nil` if there are none.
  package let atStart: Int
  package let bytes: (p50: Int, p99: Int, largest: Int)?
  /// The number of entities in commits, by operation.
  package private(set) var created = 0
  package private(set) var changed = 0
  package private(set) var deleted = 0

  /// Returns the types of the model in order; O(states) plus sorting sizes.
  package static func all(of workload: Workload) -> [TypeProfile] {
    let catalog = workload.catalog
    func place(of object: UInt32) -> Int { Int(catalog.objects[Int(object)].type.rawValue) - 1 }
    var sizes = workload.model.types.map { _ in [Int]() }
    var exists = [Bool](repeating: false, count: catalog.objects.count)
    for revision in catalog.revisions.prefix(catalog.initialCount) {
      sizes[place(of: revision.object)].append(Int(revision.bytes))
      exists[Int(revision.object)] = true
    }
    var profiles = zip(workload.model.types, sizes).map { TypeProfile($0.name, $1.sorted()) }
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] {
        let object = Int(item.object)
        if item.revision == MutationItem.deleted {
          profiles[place(of: item.object)].deleted += 1
        } else if exists[object] {
          profiles[place(of: item.object)].changed += 1
        } else {
          profiles[place(of: item.object)].created += 1
        }
        exists[object] = item.revision != MutationItem.deleted
      }
    }
    return profiles
  }

  private init(_ name: String, _ sizes: [Int]) {
    self.name = name
    atStart = sizes.count
    bytes = sizes.last.map { (sizes[sizes.count / 2], sizes[sizes.count * 99 / 100], $0) }
  }
}
