public import CacheModel
package import Workloads

/// What a cache under test is started with: for a client of a workload, or for that client's next process.
public struct CacheLaunch: Sendable {
  public var scenario: String
  /// The client's name, and its place in the workload.
  public var client: String
  public var place: Int
  public var seed: UInt64
  /// When it starts, in virtual time.
  public var at: Instant
  /// As far as the comparison limits it; nothing enforces that.
  public var capacity: Capacity
  /// Who finds out which lists a change enters and leaves.
  package var membership = ListMembership.own
  /// What a former process of the client has stored, in the order of keys.
  public var stored: [StoredText] = []
  /// Whether each line that it is told has a member more than the protocol says, where it speaks that.
  package var hasUnknownMembers = false
  /// What the numbers of turns stand for.
  let workload: Workload

  /// The start of a client, given by its place in the workload, at an instant.
  package init(_ workload: Workload, place: Int, capacity: Capacity, at: Instant) {
    self.workload = workload
    scenario = workload.name
    client = workload.clients[place].name
    self.place = place
    seed = workload.seed
    self.at = at
    self.capacity = capacity
  }
}

/// What a cache takes part in beyond reading: it says so when it starts.
public enum CacheFeature: String, CaseIterable, Sendable {
  /// It is told what users write, shows that, and sends it.
  case writes
  /// It stores what outlives its process.
  case storage
  /// It can be told which lists a change enters and leaves.
  case given
}
