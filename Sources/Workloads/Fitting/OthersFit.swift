import CacheModel

/// A group of devices that change the library about as often as each other.
struct OthersFit {
  private(set) var devices: Int
  /// Operations of each device per second, without those in bursts.
  private(set) var rate: Estimate
  private(set) var burst: Burst?
  /// By kind, in the order of ``OperationMix/shares``.
  private(set) var mix: [Double]
  private(set) var operations: Int
  private(set) var selection: Estimate
  private(set) var exponent: Estimate
  /// `nil`: popularity alone says what is edited.
  private(set) var interest: Estimate?
  /// Of the times between operations of a device: the standard deviation over the mean; 1 of a Poisson
  /// process.
  private(set) var variation: Double?
  /// What an index job did, which is no operation of a user.
  private(set) var index: IndexFit?

  struct Burst {
    /// Nanoseconds.
    var every: Estimate
    var operations: Double
    /// Per second.
    var rate: Double
  }

  /// Devices are alike whose rates differ by less than this factor, or by no more than chance.
  private static let likeRates = 1.5

  /// The groups of a recording, the busiest first.
  static func groups(_ history: OperationHistory, _ workload: Workload, end: Int64) -> [OthersFit] {
    // A number of a device may be any in the log of an app.
    let sorted = history.operations.sorted {
      $0.device != $1.device ? $0.device < $1.device : $0.at < $1.at
    }
    var own: [[OperationHistory.Operation]] = []
    for operation in sorted {
      if own.last?.first?.device == operation.device {
        own[own.count - 1].append(operation)
      } else {
        own.append([operation])
      }
    }
    let busiest = own.sorted {
      users($0) != users($1) ? users($0) > users($1) : $0[0].device < $1[0].device
    }
    var groups: [[[OperationHistory.Operation]]] = []
    for device in busiest {
      if let last = groups.last?.last, areAlike(last, device),
        groups[groups.count - 1].count < 1_000
      {
        groups[groups.count - 1].append(device)
      } else {
        groups.append([device])
      }
    }
    return groups.prefix(100).map { OthersFit($0, workload, end: end) }
  }

  private static func users(_ operations: [OperationHistory.Operation]) -> Int {
    operations.count { $0.kind.rawValue < OperationHistory.kindsOfUsers }
  }

  private static func areAlike(
    _ one: [OperationHistory.Operation], _ other: [OperationHistory.Operation]
  ) -> Bool {
    func hasJob(_ operations: [OperationHistory.Operation]) -> Bool {
      operations.contains { $0.kind == .found }
    }
    guard !hasJob(one), !hasJob(other) else { return false }
    let (more, less) = (Double(users(one)), Double(users(other)))
    return more <= likeRates * less || more - less <= 4 * (more + less).squareRoot()
  }

  private init(
    _ devices: [[OperationHistory.Operation]], _ workload: Workload, end: Int64
  ) {
    self.devices = devices.count
    let own = devices.map { device in
      device.filter { $0.kind.rawValue < OperationHistory.kindsOfUsers }
    }
    let all = own.flatMap(\.self).sorted { $0.at < $1.at }
    operations = all.count
    var counts = [Int](repeating: 0, count: OperationHistory.kindsOfUsers)
    for operation in all { counts[operation.kind.rawValue] += 1 }
    mix = counts.map { Double($0) / Double(max(1, all.count)) }
    let several = all.filter { [.move, .tag, .editAlbum].contains($0.kind) }
    selection = Estimate(
      Double(several.reduce(0) { $0 + $1.items }) / Double(max(1, several.count)),
      from: several.count, "selections", needed: 30, default: DeviceSection().selection)
    let seconds = Double(end) / 1e9 * Double(devices.count)
    let arrivals = Arrival(own.map { $0.map(\.at.nanoseconds) }, seconds: seconds)
    burst = arrivals.burst
    rate = Estimate(
      Double(arrivals.single) / seconds, from: arrivals.single, "operations", needed: 1, default: 0)
    variation = arrivals.variation
    interest = Self.interest(all)
    exponent = Self.exponent(all, workload, hasInterest: interest != nil)
    index = IndexFit(devices.flatMap(\.self))
  }

  // MARK: What is edited

  private static func interest(
    _ operations: [OperationHistory.Operation]
  ) -> Estimate? {
    let edits = operations.filter { $0.isOfViewed != nil }
    guard edits.count >= 100 else { return nil }
    let share = Double(edits.count { $0.isOfViewed == true }) / Double(edits.count)
    // Of two explanations the likelier: popularity alone, which meets each directory by its content, or an
    // interest, half of which falls on the latest quarter of the views that are remembered.
    var (byPopularity, byInterest) = (0.0, 0.0)
    for edit in edits {
      func add(_ byChance: Double, _ ofInterest: Double) {
        byPopularity += PortableMath.log(max(1e-3, byChance))
        byInterest += PortableMath.log(max(1e-3, ofInterest))
      }
      if edit.isOfLatest {
        add(edit.latestShare, share / 2)
      } else if edit.isOfViewed == true {
        add(edit.viewedShare - edit.latestShare, share / 2)
      } else {
        add(1 - edit.viewedShare, 1 - share)
      }
    }
    guard byInterest > byPopularity else { return nil }
    return Estimate(share, from: edits.count, "edits", needed: 100, default: 0)
  }

  /// Of the popularity by which files are edited, from how many different ones were: what goes leaves its
  /// popularity to another, so that the most popular are not the same for long.
  private static func exponent(
    _ operations: [OperationHistory.Operation], _ workload: Workload, hasInterest: Bool
  ) -> Estimate {
    // What an interest led to, popularity did not.
    let edits = operations.filter {
      $0.isOfInitialFile && $0.isOfViewed != nil && !(hasInterest && $0.isOfViewed == true)
    }
    let files = workload.catalog.revisions.prefix(workload.catalog.initialCount).count {
      workload.catalog.objects[Int($0.object)].type == EntityKind.file.resourceType
    }
    let chosen = edits.map(\.object).sorted()
    let distinct = chosen.indices.count { $0 == 0 || chosen[$0] != chosen[$0 - 1] }
    let measured: Double? =
      if files < 10 || chosen.count < 2 {
        nil
      } else if Double(distinct) < 0.7 * Double(files) {
        ZipfEstimate.exponent(
          ofDistinct: distinct, cohorts: cohorts(of: edits, hasInterest: hasInterest), among: files)
      } else {
        // Where nearly all were chosen, that says little.
        ZipfEstimate.exponent(ofRepeats: chosen, among: files)
      }
    return Estimate(
      measured, from: edits.count, "edits of files that were there", needed: 300,
      default: PopularitySection().exponent)
  }

  /// To how many of the edits files were exposed, by when their directories were first viewed: an interest
  /// aside, edits fall on what has not been viewed, and on the more of it the less is left.
  private static func cohorts(
    of edits: [OperationHistory.Operation], hasInterest: Bool
  ) -> [(share: Double, draws: Double)] {
    guard hasInterest else { return [(1, Double(edits.count))] }
    var cohorts: [(share: Double, draws: Double)] = []
    let step = max(1, edits.count / 12)
    var (draws, viewed) = (0.0, 0.0)
    for (number, edit) in edits.enumerated() {
      if number.isMultiple(of: step), edit.viewedShare > viewed {
        cohorts.append((edit.viewedShare - viewed, draws))
        viewed = edit.viewedShare
      }
      draws += 1 / max(0.01, 1 - edit.viewedShare)
    }
    return cohorts + [(1 - viewed, draws)]
  }

  /// When devices act: one by one, and in bursts.
  private struct Arrival {
    var single = 0
    var burst: Burst?
    var variation: Double?

    init(_ devices: [[Int64]], seconds: Double) {
      var pauses: [Int64] = []
      for instants in devices {
        for (earlier, later) in zip(instants, instants.dropFirst()) {
          pauses.append(later - earlier)
        }
      }
      single = devices.reduce(0) { $0 + $1.count }
      guard pauses.count >= 100 else { return }
      pauses.sort()
      let count = Double(pauses.count)
      let mean = pauses.reduce(0.0) { $0 + Double($1) } / count
      let squares = pauses.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
      variation = mean > 0 ? (squares / count).squareRoot() / mean : nil
      // A quarter of exponential pauses is shorter than 0.288 of their mean.
      let fast = Double(pauses[pauses.count / 4]) / 0.287_682
      guard fast > 0, mean > 4 * fast else { return }
      let apart = Int64(12 * fast)
      var bursts = 0
      var inBursts = 0
      var span: Int64 = 0
      for instants in devices {
        var first = 0
        for place in instants.indices
        where place + 1 == instants.count || instants[place + 1] - instants[place] > apart {
          let length = place + 1 - first
          if length >= 5 {
            bursts += 1
            inBursts += length
            span += instants[place] - instants[first]
          }
          first = place + 1
        }
      }
      guard bursts >= 5, inBursts > bursts, span > 0 else { return }
      single -= inBursts
      burst = Burst(
        every: Estimate(
          seconds * 1e9 / Double(bursts), from: bursts, "bursts", needed: 5, default: 0),
        operations: Double(inBursts) / Double(bursts),
        rate: Double(inBursts - bursts) / (Double(span) / 1e9))
    }
  }
}

/// An index job: files that were found in batches, and then described.
struct IndexFit {
  var at: Instant
  var files: Int
  var batch: Int
  /// Batches per second.
  var batchRate: Double
  /// Files described per second; 0: none were.
  var identifyRate: Double
  var identifyBatch: Int
  var thumbnailBatch: Int?
  /// Nanoseconds between events of progress.
  var progress: Int64?
  var commits: Int

  init?(_ operations: [OperationHistory.Operation]) {
    let found = operations.filter { $0.kind == .found }
    guard let first = found.first, let last = found.last else { return nil }
    let start = first.at
    at = start
    files = found.reduce(0) { $0 + $1.items }
    batch = found.map(\.items).max() ?? 1
    let seconds = Double(start.duration(to: last.at).wholeNanoseconds) / 1e9
    batchRate = found.count > 1 && seconds > 0 ? Double(found.count - 1) / seconds : 2.5
    let described = operations.filter { $0.kind == .described }
    // What is known of each file comes in small commits, thumbnails of many files at once.
    let sizes = described.map(\.items).sorted()
    let usual = SortedList.quantile(0.5, of: sizes) ?? 1
    identifyBatch = usual
    let single = described.filter { $0.items <= usual }
    let span = single.last.map { Double(start.duration(to: $0.at).wholeNanoseconds) / 1e9 } ?? 0
    identifyRate = span > 0 ? Double(single.reduce(0) { $0 + $1.items }) / span : 0
    let most = sizes.last ?? 0
    thumbnailBatch = most > usual ? most : nil
    let ticks = operations.filter { $0.kind == .progress }.map(\.at)
    let steps = zip(ticks, ticks.dropFirst()).map { $0.duration(to: $1).wholeNanoseconds }
    progress = SortedList.quantile(0.5, of: steps.sorted())
    commits = found.count + described.count + ticks.count
  }
}
