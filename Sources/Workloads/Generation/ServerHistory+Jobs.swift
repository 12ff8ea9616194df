package import CacheModel

package struct WriterJob {
  let section: JobSection
  let device: Int
  /// Draws the positions of found entities.
  var shape: RandomSource
  /// Draws their fields.
  var random: RandomSource
  /// For each wave, the numbers of its entities among the found ones.
  var members: [[Int]] = []
  /// For each flag field that a wave uses, whether each entity has it.
  var flags: [Int: [Bool]] = [:]
  /// The entities found so far, by number.
  var objects: [UInt32] = []
  var location: UInt32?
  var tree: DirectoryTree?

  package enum Step {
    /// The numbers of newly found entities.
    case found(Range<Int>)
    /// A range of a wave's members.
    case wave(Int, Range<Int>)
    case progress

    /// The index of its wave, counting the finding as the first; `nil`: none.
    package var wave: Int? {
      switch self {
      case .found: 0
      case .wave(let wave, _): wave + 1
      case .progress: nil
      }
    }

    package var count: Int {
      switch self {
      case .found(let range), .wave(_, let range): range.count
      case .progress: 0
      }
    }
  }

  package init(_ section: JobSection, by device: Int, of type: EntityType, random: RandomSource) {
    self.section = section
    self.device = device
    shape = random.substream("shape")
    self.random = random.substream("content")
    let all = Array(0..<section.count)
    for wave in section.waves {
      guard let field = wave.when, case .flag(let share) = type.fields[field].content else {
        members.append(all)
        continue
      }
      if flags[field] == nil {
        var draws = random.substream("flags", UInt64(field))
        flags[field] = all.map { _ in draws.chance(share) }
      }
      members.append(all.filter { flags[field]?[$0] == true })
    }
  }

  /// Returns the steps until an end time in nanoseconds: batches of found entities, then the waves, which
  /// visit each entity in turn.
  package func steps(before end: Int64) -> [(at: Int64, step: Step)] {
    var steps: [(at: Int64, step: Step)] = []
    let start = Double(section.at.wholeNanoseconds)
    var ready = (0..<section.count).map {
      start + Double($0 / section.batch) / section.rate * 1e9
    }
    for first in stride(from: 0, to: section.count, by: section.batch) {
      let range = first..<min(first + section.batch, section.count)
      steps.append((Int64(ready[first]), .found(range)))
    }
    for (number, wave) in section.waves.enumerated() {
      let own = members[number]
      var turn = 0.0
      for first in stride(from: 0, to: own.count, by: wave.batch) {
        let range = first..<min(first + wave.batch, own.count)
        turn += 1
        var at = range.reduce(start) { max($0, ready[own[$1]]) }
        at += Double(wave.after.wholeNanoseconds)
        if let rate = wave.rate { at = max(at, start + turn / rate * 1e9) }
        for member in range { ready[own[member]] = at + 1 }
        steps.append((Int64(min(at + 1, Double(end))), .wave(number, range)))
      }
    }
    if let progress = section.progress {
      let last = ready.reduce(start, max)
      let interval = Double(progress.wholeNanoseconds)
      let count = min((last - start) / interval, Double(ServerHistory.maximumOperations))
      for tick in 0..<max(0, Int(count)) {
        steps.append((Int64(start + Double(tick + 1) * interval), .progress))
      }
    }
    return steps.filter { $0.at < end }
  }
}

/// The operations of jobs.
extension ServerHistory {
  mutating func perform(_ step: WriterJob.Step, of number: Int, at instant: Int64) {
    switch step {
    case .found(let range): find(range, number, at: instant)
    case .wave(let wave, let range): change(range, inWave: wave, number, at: instant)
    case .progress:
      commit(
        .infrastructure, from: items.count,
        bytes: ObjectSizes.infrastructure - ObjectSizes.envelope,
        by: jobs[number].device, at: instant)
    }
  }

  /// Creates the entities that the job finds, some next to existing entities and the rest in a new tree.
  private mutating func find(_ range: Range<Int>, _ number: Int, at instant: Int64) {
    var job = jobs[number]
    var random = job.random
    let operation = scenario.model.operations[job.section.operation]
    let type = operation.effect.type
    let tree = scenario.model.types[type].fields.lazy.compactMap(\.tree).first
    let first = items.count
    var commit = CommitInProgress()
    var bytes = 0
    if let tree, job.tree == nil {
      job.location = tree.below.map { below in
        let location = state.addObject(
          ofType: below, id: random.uniqueID(), at: instant, popularity: random.unit())
        bytes += appear(location, in: nil, by: job.device, at: instant, &commit, &random)
        return location
      }
      job.tree = DirectoryTree(
        depth: tree.depth, fanOut: tree.fanOut, locations: job.location.map { [$0] } ?? [])
    }
    for index in range {
      var found = FoundEntity(flags: job.flags.mapValues { $0[index] })
      if tree != nil { found.place = home(of: type, &job) }
      if found.place == nil, var own = job.tree {
        found.place =
          own.place(&job.shape) { parent, location in
            let place = state.addObject(
              ofType: placeType(of: type), id: random.uniqueID(), at: instant,
              popularity: random.unit())
            bytes += appear(
              place, in: Place(parent: parent, location: location), by: job.device, at: instant,
              &commit, &random)
            return place
          }.directory
        job.tree = own
      }
      // Nobody has used it yet, so existing popularity is unchanged.
      let object = state.addObject(
        ofType: type, id: random.uniqueID(), at: instant, popularity: 1 - 1e-9)
      bytes += change(
        object, operation, found: found, by: job.device, at: instant, &commit, &random)
      job.objects.append(object)
    }
    bytes += touch(by: job.device, at: instant, &commit)
    job.random = random
    jobs[number] = job
    if job.section.announce == .whole, items.count - first >= JobSection.largeBatch {
      self.commit(
        .bulkNotice(
          location: job.location,
          resourceType: tree == nil ? DataModel.resourceType(ofType: type) : nil,
          token: UInt64(job.device) << 32 | UInt64(range.lowerBound)),
        from: first, bytes: ObjectSizes.bulkNotice - ObjectSizes.envelope, by: job.device,
        at: instant)
    } else {
      commitItems(from: first, bytes: bytes, by: job.device, at: instant, origin: .index)
    }
  }

  private func placeType(of type: Int) -> Int {
    scenario.model.types[type].fields.lazy.filter { $0.tree != nil }.compactMap(\.target).first
      ?? type
  }

  /// Returns the position of an existing entity, with the job's probability; `nil`: another position, or
  /// none.
  private func home(of type: Int, _ job: inout WriterJob) -> UInt32? {
    guard job.shape.chance(job.section.beside) else { return nil }
    let home = UInt32(
      truncatingIfNeeded: self.home(
        ofType: type, before: job.objects.first ?? .max, &job.shape))
    return home == EntityStates.none ? nil : home
  }

  private mutating func change(
    _ range: Range<Int>, inWave wave: Int, _ number: Int, at instant: Int64
  ) {
    var job = jobs[number]
    let operation = scenario.model.operations[job.section.waves[wave].operation]
    let first = items.count
    var commit = CommitInProgress()
    var bytes = 0
    for member in range {
      let index = job.members[wave][member]
      guard index < job.objects.count, state.isAlive(job.objects[index]) else { continue }
      bytes += change(
        job.objects[index], operation, by: job.device, at: instant, &commit, &job.random)
    }
    bytes += touch(by: job.device, at: instant, &commit)
    jobs[number].random = job.random
    commitItems(from: first, bytes: bytes, by: job.device, at: instant, origin: .index)
  }

  /// A found entity before it is created.
  struct FoundEntity {
    /// Its position in a tree; `nil`: none.
    var place: UInt32?
    /// Its flags by field.
    var flags: [Int: Bool]

    func word(of field: ModelField, _ index: Int) -> UInt64? {
      if field.tree != nil, let place { return UInt64(place) }
      return flags[index].map { $0 ? 1 : 0 }
    }
  }

  /// Creates an entity in a tree, or the root of one; returns the event's bytes for it.
  mutating func appear(
    _ object: UInt32, in place: Place?, by device: Int, at instant: Int64,
    _ commit: inout CommitInProgress, _ random: inout RandomSource
  ) -> Int {
    let type = state.type(of: object)
    let declared = scenario.model.types[type]
    let home = place == nil ? nil : state.model.placeField(ofType: type)
    var words = state.model.blankWords(ofType: type)
    for (index, field) in declared.fields.enumerated() {
      if let place, index == home {
        words[field.slot] = UInt64(place.parent)
      } else {
        draw(field, of: object, into: &words, at: instant, &random)
      }
    }
    return put(
      object, words, bytes: declared.size.draw(&random), location: place?.location, by: device,
      at: instant, &commit)
  }
}
