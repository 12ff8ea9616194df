import CacheModel

extension HistoryGenerator {
  /// The first wave: files appear in a new location, a few in directories that exist already.
  mutating func indexBatch(_ number: Int, _ range: Range<Int>, _ operation: TimedOperation) {
    var job = jobs[number]
    let first = items.count
    var bytes = 0
    if job.location == nil {
      let location = state.addObject(.location, id: job.content.uniqueID(), at: operation.at)
      job.location = location
      job.tree = DirectoryTree(
        depth: scenario.library.depth, fanOut: scenario.library.fanOut, locations: [location])
      bytes += put(
        fresh(
          location, (LibraryState.none, LibraryState.none), bytes: Int32(ObjectSizes.location),
          operation, &job.content))
    }
    for file in range {
      let isKnown = job.shape.chance(job.section.known)
      let known = job.shape.unit()
      var home = knownHome(at: known)
      if !isKnown || home == nil, var tree = job.tree {
        home = tree.place(&job.shape) { parent, location in
          let directory = state.addObject(.directory, id: job.content.uniqueID(), at: operation.at)
          bytes += put(
            fresh(
              directory, (parent, location),
              bytes: ObjectSizes.directory(variation: Int(directory)), operation, &job.content))
          return directory
        }
        job.tree = tree
      }
      guard let home else { continue }
      let object = state.addObject(.file, id: job.content.uniqueID(), at: operation.at)
      var revision = fresh(
        object, home,
        bytes: sizeOfFile(
          object, labels: 0, waves: []), operation,
        &job.content)
      revision.isMedia = job.isMedia[file]
      // Indexed files are older than the run: they were on the disk before it was attached.
      revision.modified -= Int64(job.content.exponential(mean: 200 * 86_400_000))
      bytes += put(revision)
      job.files.append(object)
    }
    jobs[number] = job
    if job.section.bulkNotice, items.count - first >= 1_000 {
      commit(
        .bulkNotice(
          location: job.location, resourceType: nil,
          token: UInt64(operation.device) << 32
            | UInt64(range.lowerBound)),
        from: first, ObjectSizes.bulkNotice, operation)
    } else {
      commitItems(from: first, bytes: bytes, operation)
    }
  }

  /// The second wave: what identifies the content of a file is known.
  mutating func identify(_ number: Int, _ range: Range<Int>, _ operation: TimedOperation) {
    update(range.map { $0 }, of: number, waves: [.identified], operation)
  }

  /// The third wave: media files get their thumbnails.
  mutating func addThumbnails(_ number: Int, _ range: Range<Int>, _ operation: TimedOperation) {
    update(
      range.map { jobs[number].media[$0] }, of: number, waves: [.identified, .thumbnails], operation
    )
  }

  private mutating func update(
    _ numbers: [Int], of job: Int, waves: ObjectSizes.Waves, _ operation: TimedOperation
  ) {
    let first = items.count
    var bytes = 0
    for number in numbers where number < jobs[job].files.count {
      let file = jobs[job].files[number]
      guard state.isAlive(file) else { continue }
      var revision = successor(of: file, operation)
      revision.bytes = sizeOfFile(
        file, labels: Int(revision.labelCount),
        waves: revision.isMedia ? waves : [])
      bytes += put(revision)
    }
    commitItems(from: first, bytes: bytes, operation)
  }

  /// The first state of an object that a device made just now.
  mutating func fresh(
    _ object: UInt32, _ home: (directory: UInt32, location: UInt32), bytes: Int32,
    _ operation: TimedOperation, _ random: inout RandomSource
  ) -> Revision {
    Revision(
      object: object, version: tick(operation.device, at: operation.at), parent: home.directory,
      location: home.location, name: names.name(&random), modified: operation.at / 1_000_000,
      isMedia: false, bytes: bytes, labelStart: 0, labelCount: 0)
  }

  /// The directory of an initial file, so directories come in proportion to their content; `nil` if
  /// the file is gone.
  func knownHome(at unit: Double) -> (directory: UInt32, location: UInt32)? {
    guard !ranked.isEmpty else { return nil }
    let file = ranked[min(ranked.count - 1, Int(unit * Double(ranked.count)))]
    guard state.isAlive(file) else { return nil }
    let revision = state.state(of: file)
    return (revision.parent, revision.location)
  }
}
