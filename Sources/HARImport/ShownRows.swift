/// What each request shows: each entity once, and last what belongs to none.
struct ShownRows {
  /// Of each request, and behind the last.
  private var starts: [Int32] = [0]
  /// −1: none.
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

  /// The entities that a request shows, −1 for what belongs to none, and how.
  func forEach(of request: Int, _ body: (_ entity: Int32, _ sight: Int32) -> Void) {
    for row in Int(starts[request])..<Int(starts[request + 1]) { body(entities[row], sights[row]) }
  }

  /// How many an evidence shows at most.
  func count(of one: ChangeInference.Evidence) -> Int {
    Int(starts[Int(one.source) + 1] - starts[Int(one.source)])
  }

  /// What an evidence shows, by its place among that, without what it deletes.
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
