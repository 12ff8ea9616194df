import CacheModel

/// One thing that a device does, at its instant.
struct TimedOperation {
  var at: Int64
  var device: UInt32
  var action: Action

  enum Action {
    /// An operation drawn from the device's mix.
    case user
    /// Files that an index job finds, by their numbers within the job.
    case indexBatch(job: Int, Range<Int>)
    case identify(job: Int, Range<Int>)
    /// Media files, by their numbers among the media files of the job.
    case thumbnails(job: Int, Range<Int>)
    case progress

    /// What its batches come from.
    var origin: EventOrigin {
      switch self {
      case .user: .watcher
      case .indexBatch, .identify, .thumbnails, .progress: .index
      }
    }
  }
}

/// An index job while it runs.
struct IndexJob {
  let section: IndexSection
  /// Draws where files go.
  var shape: RandomSource
  /// Draws what they are.
  var content: RandomSource
  let isMedia: [Bool]
  /// The files found so far, by number.
  var files: [UInt32] = []
  /// The numbers of the media files.
  let media: [Int]
  var location: UInt32?
  var tree: DirectoryTree?
}

extension HistoryGenerator {
  /// More operations than this are not generated, whatever rates and durations say.
  static let maximumOperations = 4_000_000

  /// The operations of all devices before the quiet end, in order of time, then device.
  mutating func timeline() -> [TimedOperation] {
    let end = scenario.activeDuration.wholeNanoseconds
    var operations: [TimedOperation] = []
    for index in devices.indices {
      let section = devices[index].section
      let device = UInt32(index)
      var arrivals = devices[index].source.substream("arrivals")
      var instants = Arrivals.poisson(
        rate: section.rate, end: end, limit: Self.maximumOperations, &arrivals)
      if let burst = section.burst {
        var bursts = devices[index].source.substream("bursts")
        instants += Arrivals.bursts(burst, end: end, limit: Self.maximumOperations, &bursts)
      }
      operations += instants.map { TimedOperation(at: $0, device: device, action: .user) }
      if let section = section.index { operations += schedule(section, device, end: end) }
    }
    let order = operations.indices.sorted { a, b in
      let left = operations[a]
      let right = operations[b]
      if left.at != right.at { return left.at < right.at }
      return left.device != right.device ? left.device < right.device : a < b
    }
    return order.prefix(Self.maximumOperations).map { operations[$0] }
  }

  /// The waves of an index job: batches, identification behind them, thumbnails behind that.
  private mutating func schedule(
    _ section: IndexSection, _ device: UInt32, end: Int64
  ) -> [TimedOperation] {
    let job = jobs.count
    let source = devices[Int(device)].source
    var media = source.substream("index-media")
    let isMedia = (0..<section.files).map { _ in media.chance(scenario.library.media) }
    jobs.append(
      IndexJob(
        section: section, shape: source.substream("index-shape"),
        content: source.substream("index-content"), isMedia: isMedia,
        media: isMedia.indices.filter { isMedia[$0] }))
    var operations: [TimedOperation] = []
    func add(_ at: Double, _ action: TimedOperation.Action) {
      operations.append(TimedOperation(at: Int64(at), device: device, action: action))
    }
    let start = Double(section.at.wholeNanoseconds)
    let batchInterval = 1e9 / section.batchRate
    func found(_ file: Int) -> Double { start + Double(file / section.batch) * batchInterval }
    for first in stride(from: 0, to: section.files, by: section.batch) {
      add(found(first), .indexBatch(job: job, first..<min(first + section.batch, section.files)))
    }
    var last = found(section.files - 1)
    if section.identify > 0 {
      func identified(_ file: Int) -> Double {
        max(found(file), start + Double(file + 1) / section.identify * 1e9) + 1
      }
      last = identified(section.files - 1)
      for first in stride(from: 0, to: section.files, by: section.identifyBatch) {
        let range = first..<min(first + section.identifyBatch, section.files)
        add(identified(range.upperBound - 1), .identify(job: job, range))
      }
      let mediaFiles = jobs[job].media
      if section.thumbnails {
        for first in stride(from: 0, to: mediaFiles.count, by: section.thumbnailBatch) {
          let range = first..<min(first + section.thumbnailBatch, mediaFiles.count)
          // A fifth of a second to make them (an assumption).
          let lastFile = mediaFiles[range.upperBound - 1]
          let batchEnd = min(
            (lastFile / section.identifyBatch + 1) * section.identifyBatch, section.files)
          add(identified(batchEnd - 1) + 2e8, .thumbnails(job: job, range))
        }
      }
    }
    if let progress = section.progress {
      let step = Double(progress.wholeNanoseconds)
      let count = Int(min((last - start) / step, Double(Self.maximumOperations)))
      for tick in 0..<max(0, count) { add(start + Double(tick + 1) * step, .progress) }
    }
    return operations.filter { $0.at < end }
  }
}
