import CacheModel
package import Workloads

/// Estimates of the users, devices and queries of a recording.
///
/// The counts of ``WorkloadSummary`` are exact; these are estimates.
package struct SessionProfile: Sendable {
  /// The think time in nanoseconds.
  package let think: Estimate
  /// The rate of visits per second, and their length in nanoseconds; `nil`: users are always present.
  package let visits: (rate: Estimate, length: Estimate)?
  /// The times between commits, in nanoseconds; `nil` with fewer than two.
  package let commitPauses: Pauses?
  /// The devices, the most active one first.
  package let devices: [Device]
  package let queries: [Query]
  /// The exponent of the popularity of changed entities.
  package let editExponent: Estimate
  /// The mean size of an initial entity in bytes; `nil` if there are none.
  package let meanEntityBytes: Double?
  /// The share of commits that create entities.
  package let newCommitShare: Double?
  /// The share of reads of entities that were created during the recording.
  package let newReadShare: Double?

  package struct Pauses: Sendable {
    package let mean: Double
    package let p50: Int64
    package let p99: Int64
    /// The standard deviation over the mean: 1 for a Poisson process, more for bursts.
    package let variation: Double
  }

  package struct Device: Sendable {
    package let number: UInt32
    package let commits: Int
    /// The number of commits by kind, in the order of ``kinds``.
    package let byKind: [Int]
  }

  package struct Query: Sendable {
    package let name: String
    /// The kind, by its number in the model.
    package let kind: QueryKind
    package let reads: Int
    package let distinct: Int
    package let seenBefore: Int
    /// The exponent of the popularity of its argument; `nil` without one.
    package let exponent: Estimate?
  }

  /// The names of kinds of commits in a recording.
  package static let kinds = ["changed", "batch", "deleted", "bulk-notice", "infrastructure"]

  package init(of workload: Workload) {
    let traits = QueryTraits(workload)
    let users = workload.clients.map { UserSteps($0, traits) }
    let pauses = PauseFit(
      users, workload.clients, traits, end: max(1, workload.duration.wholeNanoseconds))
    think = pauses.think
    visits = pauses.visits.map { ($0.rate, $0.length) }
    commitPauses = Self.pauses(workload.mutations.map(\.at.nanoseconds))
    devices = Self.devices(workload.mutations)
    queries = Self.queries(workload)
    let catalog = workload.catalog
    let initial = catalog.revisions.prefix(catalog.initialCount)
    meanEntityBytes =
      initial.isEmpty
      ? nil : initial.reduce(0.0) { $0 + Double($1.bytes) } / Double(initial.count)
    let births = WorkloadSummary.births(in: workload)
    var (reads, readsOfNew) = (0, 0)
    for client in workload.clients {
      for action in client.actions where action.kind.isReadOfUser {
        reads += 1
        if case .open(let object, _) = action.kind, births[Int(object)] != nil { readsOfNew += 1 }
      }
    }
    newReadShare = reads > 0 ? Double(readsOfNew) / Double(reads) : nil
    var exists = [Bool](repeating: false, count: catalog.objects.count)
    for revision in initial { exists[Int(revision.object)] = true }
    var (commits, commitsOfNew) = (0, 0)
    var edited: [UInt32] = []
    for mutation in workload.mutations {
      guard let first = workload.items[mutation.items].first else { continue }
      commits += 1
      if exists[Int(first.object)] { edited.append(first.object) } else { commitsOfNew += 1 }
      for item in workload.items[mutation.items] { exists[Int(item.object)] = true }
    }
    newCommitShare = commits > 0 ? Double(commitsOfNew) / Double(commits) : nil
    editExponent = Self.exponent(
      edited, among: max(initial.count, 1), "changes of what was there before", needed: 1_000)
  }

  private static func exponent(
    _ chosen: [UInt32], among count: Int, _ noun: String, needed: Int
  ) -> Estimate {
    Estimate(
      chosen.count > 1 && count >= 10
        ? ZipfEstimate.exponent(ofRepeats: chosen, among: count) : nil,
      from: chosen.count, noun, needed: needed, default: 0.9)
  }

  private static func pauses(_ instants: [Int64]) -> Pauses? {
    let pauses = zip(instants, instants.dropFirst()).map { $1 - $0 }.sorted()
    guard let p50 = SortedList.quantile(0.5, of: pauses),
      let p99 = SortedList.quantile(0.99, of: pauses)
    else { return nil }
    let count = Double(pauses.count)
    let mean = pauses.reduce(0.0) { $0 + Double($1) } / count
    let squares = pauses.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
    return Pauses(
      mean: mean, p50: p50, p99: p99,
      variation: mean > 0 ? (squares / count).squareRoot() / mean : 0)
  }

  private static func devices(_ mutations: [Mutation]) -> [Device] {
    // Sorted by device; the order within a device is irrelevant.
    let sorted = mutations.sorted { $0.device < $1.device }
    var devices: [Device] = []
    var first = 0
    for place in sorted.indices
    where place + 1 == sorted.count || sorted[place + 1].device != sorted[place].device {
      var byKind = [Int](repeating: 0, count: kinds.count)
      for mutation in sorted[first...place] {
        if let kind = kinds.firstIndex(of: mutation.kind.name) { byKind[kind] += 1 }
      }
      devices.append(
        Device(number: sorted[place].device, commits: place + 1 - first, byKind: byKind))
      first = place + 1
    }
    return devices.sorted {
      $0.commits != $1.commits ? $0.commits > $1.commits : $0.number < $1.number
    }
  }

  private static func queries(_ workload: Workload) -> [Query] {
    let shapes = workload.model.shapes.count
    var reads = [Int](repeating: 0, count: shapes)
    var seen = reads
    var subjects = [[UInt32]](repeating: [], count: shapes)
    for client in workload.clients {
      var asked = [Bool](repeating: false, count: workload.queries.count)
      for action in client.actions {
        switch action.kind {
        case .read(let query), .observe(let query):
          let place = Int(workload.queries[Int(query)].kind.rawValue) - 1
          guard place < shapes else { continue }
          reads[place] += 1
          if asked[Int(query)] { seen[place] += 1 }
          asked[Int(query)] = true
          if let subject = UInt32(exactly: workload.queries[Int(query)].subject) {
            subjects[place].append(subject)
          }
        case .redraw, .unobserve, .tag, .open, .write, .maintenance: break
        }
      }
    }
    return workload.model.shapes.indices.compactMap { place in
      guard reads[place] > 0 else { return nil }
      let shape = workload.model.shapes[place]
      let kind = DataModel.kind(ofShape: place)
      // The number of possible arguments: the initial entities of the type.
      let among = shape.subjectType.map { type in
        workload.catalog.revisions.prefix(workload.catalog.initialCount).count {
          workload.catalog.objects[Int($0.object)].type == DataModel.resourceType(ofType: type)
        }
      }
      return Query(
        name: shape.name, kind: kind, reads: reads[place],
        distinct: workload.queries.count { $0.kind == kind }, seenBefore: seen[place],
        exponent: among.map {
          exponent(subjects[place], among: $0, "reads", needed: 300)
        })
    }
  }
}
