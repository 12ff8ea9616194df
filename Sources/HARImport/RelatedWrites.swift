/// Which writes a read may follow: those whose answer, path or operation names what the read shows.
///
/// Other writes, such as heartbeats and analytics, do not make an app read again.
struct RelatedWrites {
  private let log: TrafficLog
  /// The types by their names in lower case; looked up, never iterated.
  private var typesByName: [String: Set<Int32>] = [:]
  /// The types in the answers to each query; for one without rows those that its path names.
  private var typesOfQuery: [Set<Int32>]
  /// The types that each path, and each operation, names; looked up, never iterated.
  private var typesOfPath: [Int32: Set<Int32>] = [:]
  private var typesOfOperation: [Int32: Set<Int32>] = [:]

  init(_ requests: [LoggedRequest], _ queries: [Int], _ log: TrafficLog, queryCount: Int) {
    self.log = log
    typesOfQuery = [Set<Int32>](repeating: [], count: queryCount)
    for (number, name) in log.types.all.enumerated() {
      typesByName[name.lowercased(), default: []].insert(Int32(truncatingIfNeeded: number))
    }
    for (request, query) in zip(requests, queries) where query >= 0 {
      typesOfQuery[query].formUnion(types(inAnswerTo: request))
    }
    for (request, query) in zip(requests, queries) where query >= 0 {
      if typesOfQuery[query].isEmpty { typesOfQuery[query] = types(namedBy: request) }
    }
  }

  /// Returns whether a read may show what a write changed.
  mutating func relates(_ write: LoggedRequest, to read: LoggedRequest, ofQuery query: Int) -> Bool
  {
    if write.operation < 0, read.operation < 0, write.host == read.host {
      let (one, other) = (log.paths[Int(write.path)], log.paths[Int(read.path)])
      // One is part of the other: `/tasks`, `/tasks/1`, `/tasks/1/star`.
      let common = min(one.count, other.count)
      if common > 0, one.prefix(common) == other.prefix(common) { return true }
    }
    let shown = typesOfQuery[query]
    return !shown.isDisjoint(with: types(inAnswerTo: write))
      || !shown.isDisjoint(with: types(namedBy: write))
  }

  private func types(inAnswerTo request: LoggedRequest) -> Set<Int32> {
    var types: Set<Int32> = []
    for sight in log.rows[request.rows] {
      guard let entity = log.sights[Int(sight)].entity else { continue }
      types.insert(log.entities[Int(entity)].type)
    }
    return types
  }

  /// Returns the types in a path, or in the name of an operation such as `deleteTask`.
  private mutating func types(namedBy request: LoggedRequest) -> Set<Int32> {
    if request.operation >= 0 {
      if let known = typesOfOperation[request.operation] { return known }
      let name = log.operations[Int(request.operation)].name?.lowercased() ?? ""
      var types: Set<Int32> = []
      for (number, type) in log.types.all.enumerated()
      where type.utf8.count > 2 && name.contains(type.lowercased()) {
        types.insert(Int32(truncatingIfNeeded: number))
      }
      typesOfOperation[request.operation] = types
      return types
    }
    if let known = typesOfPath[request.path] { return known }
    let types = log.paths[Int(request.path)].reduce(into: Set<Int32>()) { types, segment in
      types.formUnion(typesByName[TypeName.singular(segment).lowercased()] ?? [])
      types.formUnion(typesByName[segment.lowercased()] ?? [])
    }
    typesOfPath[request.path] = types
    return types
  }
}
