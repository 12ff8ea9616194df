/// Where a workload comes from.
package enum Truth: String, Hashable, Sendable, CaseIterable {
  /// Every state of the server is in the workload: staleness and consistency can be judged.
  case known
  /// An app recorded what it saw. Fetches are answered from the recorded results, and whatever needs
  /// the server's own state stays empty.
  case observed
}

/// Names one read of a workload: a client, and an action of its script.
package struct ObservedRead: Hashable, Sendable {
  package var client: Int
  package var action: Int

  package init(client: Int, action: Int) {
    self.client = client
    self.action = action
  }
}
