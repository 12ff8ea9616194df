import CacheModel

/// What a number of devices change, and when: drawn from the seed, whoever carries it out.
package struct DevicePlan: Sendable {
  package var library: FileLibrary
  package var seed: UInt64
  /// All devices of the run.
  package var devices: Int
  /// Mutations of all devices together, and how many of them come in a second.
  package var mutations: Int
  package var rate: Double
  /// Files that one mutation changes.
  package var filesPerMutation = 1
  /// Only the first files of the library are changed; by default all.
  package var changedFiles: Int {
    didSet { filesPerMutation = min(filesPerMutation, changedFiles) }
  }

  package init(
    library: FileLibrary, seed: UInt64, devices: Int, mutations: Int, rate: Double,
    filesPerMutation: Int = 1
  ) {
    precondition(devices > 0 && mutations > 0 && filesPerMutation > 0)
    changedFiles = library.fileCount
    self.library = library
    self.seed = seed
    self.devices = devices
    self.mutations = mutations
    self.rate = rate
    self.filesPerMutation = min(filesPerMutation, library.fileCount)
  }

  /// How many mutations a device sends; the first devices send those that cannot be shared out.
  package func mutations(ofDevice device: Int) -> Int {
    mutations / devices + (device < mutations % devices ? 1 : 0)
  }

  /// When a device means to send: a Poisson process of its own, so that all together are one too.
  package func arrivals(ofDevice device: Int) -> ArrivalProcess {
    ArrivalProcess(
      count: mutations(ofDevice: device), perSecond: rate / Double(devices),
      random: RandomSource(seed: seed).substream("device-arrivals", UInt64(device)))
  }

  /// When the last device means to have sent its last.
  package var lastOffset: Int64 {
    (0..<min(devices, mutations)).map { arrivals(ofDevice: $0).offsets.last ?? 0 }.max() ?? 0
  }

  /// The files that a mutation changes: no two devices change one at the same time.
  func files(ofMutation index: Int, device: Int) -> [Int] {
    FileLibrary.files(
      ofChange: index * devices + device, count: filesPerMutation, among: changedFiles)
  }

  /// The most files that one mutation changes.
  package static let largestBatch = 1_000
}
