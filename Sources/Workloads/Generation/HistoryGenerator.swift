import CacheModel

/// Draws the library and all that happens to it, in the order in which the server commits it.
///
/// Each device draws from its own sub-streams; the shared library is only where their operations meet.
struct HistoryGenerator {
  let scenario: Scenario
  let random: RandomSource
  /// What sessions view, for devices that edit that; `nil`: not known.
  var views: ViewedDirectories?
  var state = LibraryState()
  var initialCount = 0
  var mutations: [Mutation] = []
  var items: [MutationItem] = []
  let names = NameSource()

  /// The initial files in an order of popularity that all devices and sessions share.
  var ranked: [UInt32] = []
  var devices: [DeviceState] = []
  var jobs: [IndexJob] = []

  private var restarts: [Int64]
  private var epoch: UInt32 = 1
  private var sequence: UInt64 = 0

  /// What a device remembers between operations.
  struct DeviceState {
    let section: DeviceSection
    /// Where the sub-streams of the device come from.
    let source: RandomSource
    /// Draws its operations.
    var random: RandomSource
    let files: Popularity?
    let albums: Popularity?
    let tags: Popularity?
    /// How far its clock lags behind, in milliseconds.
    let lag: Int64
    /// The latest reading of its hybrid logical clock.
    var clock: UInt64 = 0
    /// Files that it made lately.
    var own: [UInt32] = []
  }

  init(scenario: Scenario, random: RandomSource, views: ViewedDirectories? = nil) {
    self.scenario = scenario
    self.random = random
    self.views = views
    restarts = scenario.faults.filter { $0.kind == .restart }.map(\.at.wholeNanoseconds).sorted()
  }

  mutating func generate() {
    makeLibrary()
    makeDevices()
    for operation in timeline() {
      while let restart = restarts.first, restart <= operation.at {
        restarts.removeFirst()
        epoch += 1
        sequence = 0
      }
      switch operation.action {
      case .user: performUserOperation(operation)
      case .indexBatch(let job, let range): indexBatch(job, range, operation)
      case .identify(let job, let range): identify(job, range, operation)
      case .thumbnails(let job, let range): addThumbnails(job, range, operation)
      case .progress:
        commit(.infrastructure, from: items.count, ObjectSizes.infrastructure, operation)
      }
    }
  }

  private mutating func makeDevices() {
    for (group, section) in scenario.devices.enumerated() {
      for number in 0..<section.count {
        let own = random.substream("device-group", UInt64(group))
          .substream("device", UInt64(number))
        var clock = own.substream("clock")
        devices.append(
          DeviceState(
            section: section, source: own, random: own.substream("operations"),
            files: Popularity(section.popularity, count: ranked.count),
            albums: Popularity(section.popularity, count: state.albums.count),
            tags: Popularity(section.popularity, count: state.tags.count),
            // Clocks of devices in one household differ by up to a second or two (an assumption).
            lag: Int64(clock.below(1_500))))
      }
    }
  }

  /// The next reading of a device's clock: later than its own last one and than all it has seen.
  mutating func tick(_ device: UInt32, at instant: Int64, after seen: Version = .none) -> Version {
    let index = Int(device)
    let milliseconds = LibraryState.calendarOrigin + instant / 1_000_000 - devices[index].lag
    let physical = UInt64(max(1, milliseconds)) << 16
    let clock = max(physical, devices[index].clock + 1, seen.clock + 1)
    devices[index].clock = clock
    return Version(clock: clock, device: UInt64(device) + 1)
  }

  /// Records a new state of an object, and adds it to the items of the commit in progress.
  ///
  /// - Returns: Its size in bytes.
  @discardableResult
  mutating func put(_ revision: Revision) -> Int {
    let number = state.record(revision)
    items.append(MutationItem(object: revision.object, revision: number))
    return Int(revision.bytes)
  }

  /// A state of an object that follows its latest one, written by the operation's device.
  mutating func successor(of object: UInt32, _ operation: TimedOperation) -> Revision {
    var revision = state.state(of: object)
    revision.version = tick(operation.device, at: operation.at, after: revision.version)
    return revision
  }

  /// Ends a commit: the items from `first` on are its own.
  mutating func commit(
    _ kind: Mutation.Kind, from first: Int, _ bytes: Int, _ operation: TimedOperation,
    version: Version = .none
  ) {
    sequence += 1
    mutations.append(
      Mutation(
        at: Instant(nanoseconds: operation.at), device: operation.device,
        position: StreamPosition(epoch: epoch, sequence: sequence), kind: kind,
        items: first..<items.count, bytes: bytes, version: version,
        origin: kind == .batchChanged ? operation.action.origin : nil))
  }

  /// Ends a commit of whatever items were put since `first`: one, or an atomic batch; nothing if none.
  mutating func commitItems(from first: Int, bytes: Int, _ operation: TimedOperation) {
    guard items.count > first else { return }
    commit(
      items.count == first + 1 ? .changed : .batchChanged, from: first,
      ObjectSizes.envelope + bytes, operation)
  }
}
