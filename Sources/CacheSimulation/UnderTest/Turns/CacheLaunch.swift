package import CacheModel
package import Workloads

/// What a cache under test is started with: for a client of a workload, or for that client's next process.
package struct CacheLaunch: Sendable {
  package var scenario: String
  /// The client's name, and its place in the workload.
  package var client: String
  package var place: Int
  package var seed: UInt64
  /// When it starts, in virtual time.
  package var at: Instant
  /// As far as the comparison limits it; nothing enforces that.
  package var capacity: Capacity
  /// Who finds out which lists a change enters and leaves.
  package var membership = ListMembership.own
  /// What a former process of the client has stored, in the order of keys.
  package var stored: [StoredText] = []
  /// Whether each line that it is told has a member more than the protocol says, where it speaks that.
  package var hasUnknownMembers = false

  /// The start of a client, given by its place in the workload, at an instant.
  package init(_ workload: Workload, place: Int, capacity: Capacity, at: Instant) {
    scenario = workload.name
    client = workload.clients[place].name
    self.place = place
    seed = workload.seed
    self.at = at
    self.capacity = capacity
  }
}

/// What a cache takes part in beyond reading: it says so when it starts.
package enum CacheFeature: String, CaseIterable, Sendable {
  /// It is told what users write, shows that, and sends it.
  case writes
  /// It stores what outlives its process.
  case storage
  /// It can be told which lists a change enters and leaves.
  case given
}
