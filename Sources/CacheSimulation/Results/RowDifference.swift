/// The first row in which what a cache served differs from the truth.
public struct RowDifference: Hashable, Sendable {
  /// Counted from 1.
  public var row: Int
  public var kind: Kind

  /// The raw value is the word in reports.
  public enum Kind: String, Sendable, CaseIterable {
    /// The row's entity has a newer version.
    case older
    /// The truth has a row here that was not served.
    case missing
    /// What was served here no longer belongs there.
    case extra
    /// Both have the row, but elsewhere.
    case moved
  }

  /// - Returns: `nil` where both are the same. O(rows).
  init?(served: [Handle], truth: [Handle]) {
    let shorter = min(served.count, truth.count)
    guard
      let place = (0..<shorter).first(where: { served[$0] != truth[$0] })
        ?? (served.count == truth.count ? nil : shorter)
    else { return nil }
    row = place + 1
    guard place < truth.count else {
      kind = .extra
      return
    }
    let expected = truth[place].object
    if place < served.count, served[place].object == expected {
      kind = .older
    } else if !served.contains(where: { $0.object == expected }) {
      kind = .missing
    } else {
      let found = served[place].object
      kind = truth.contains { $0.object == found } ? .moved : .extra
    }
  }
}
