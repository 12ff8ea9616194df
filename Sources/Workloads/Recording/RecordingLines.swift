/// Where in its file the parts of a recording stand; lines count from 1.
package struct RecordingLines: Hashable, Sendable {
  /// The line of each query.
  package internal(set) var queries: [Int] = []
  /// The line of each action of each client.
  package internal(set) var actions: [[Int]] = []

  /// The line of a read.
  package subscript(read: ObservedRead) -> Int { actions[read.client][read.action] }
}
