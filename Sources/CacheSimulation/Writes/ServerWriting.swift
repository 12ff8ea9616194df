import CacheModel
import Workloads

/// What a client's own writes add to its server: when they arrive is known only in the run.
///
/// The ground truth of what became of each, counted by what was carried out and not by what any cache
/// says.
///
/// A reference, so that what refers to it is not changed with it.
final class ServerWriting {
  let client: UInt32
  let ownership: Ownership
  var now = Instant.zero
  /// The next of the workload's commits.
  var next = 0
  /// Where each of the workload's commits stands among those that happened; −1 where it did not.
  var places: [Int32]
  /// Which of the workload's commits each of those that happened was; −1 for a write of this client's.
  var origins: [Int32] = []
  /// By state: as it was written.
  var versions: [Version]
  /// By object: the latest version, of its deletion too; `.none` before it exists.
  var latest: [Version]
  /// The latest reading of the server's clock.
  var clock: UInt64 = 0
  /// What users created or changed, in order.
  var touched: [UInt32] = []
  /// What was decided on each write, by the name under which it came; looked up, never iterated.
  var fates: [MutationToken: Fate] = [:]
  /// How often each write took effect, whatever it was called.
  var effects: [Int]

  /// What the server decided on a write; asked again, it says the same.
  enum Fate: Sendable, Hashable {
    /// The place of its commit.
    case carriedOut(Int)
    case refused
  }

  init(_ workload: Workload, client: Int) {
    self.client = UInt32(client)
    ownership = Ownership(workload)
    places = [Int32](repeating: -1, count: workload.mutations.count)
    versions = workload.catalog.revisions.map(\.version)
    latest = [Version](repeating: .none, count: workload.catalog.objects.count)
    effects = [Int](repeating: 0, count: workload.writes.count)
    for revision in workload.catalog.revisions.prefix(workload.catalog.initialCount) {
      latest[Int(revision.object)] = revision.version
      clock = max(clock, revision.version.clock)
    }
  }
}
