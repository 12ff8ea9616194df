/// The content of each request: each entity once, and last the content without one.
struct ShownRows {
  /// The start of each request's rows, and the end of the last.
  private var starts: [Int32] = [0]
  /// The entities; −1: none.
  private var entities: [Int32] = []
  private var sights: [Int32] = []

  init(_ log: TrafficLog, _ timeline: Timeline, _ canonical: [Int32]) {
    starts.reserveCapacity(timeline.requests.count + 1)
    entities.reserveCapacity(log.rows.count)
    sights.reserveCapacity(log.rows.count)
    for request in timeline.requests {
      var seen: Set<Int32> = []
      for sight in log.rows[request.rows] {
        guard let entity = log.sights[Int(sight)].entity.map({ canonical[Int($0)] }),
          seen.insert(entity).inserted
        else { continue }
        entities.append(entity)
        sights.append(sight)
      }
      if let own = request.own, request.kind == .query {
        entities.append(-1)
        sights.append(own)
      }
      starts.append(Int32(entities.count))
    }
  }

  /// Calls a function with the entities of a request (−1 for content without one) and their sightings.
  func forEach(of request: Int, _ body: (_ entity: Int32, _ sight: Int32) -> Void) {
    for row in Int(starts[request])..<Int(starts[request + 1]) { body(entities[row], sights[row]) }
  }

  /// Returns the maximum number of rows in an evidence.
  func count(of one: ChangeInference.Evidence) -> Int {
    Int(starts[Int(one.source) + 1] - starts[Int(one.source)])
  }

  /// Calls a function with the rows of an evidence by index, without its deletion.
  func forEachSight(
    of one: ChangeInference.Evidence, _ body: (_ row: Int, _ entity: Int32, _ sight: Int32) -> Void
  ) {
    var row = 0
    forEach(of: Int(one.source)) { entity, sight in
      let entity = entity < 0 ? one.own : entity
      guard entity != one.deletes else { return }
      body(row, entity, sight)
      row += 1
    }
  }
}
