import CacheModel
import NormalizedCache

/// What an answer of "not modified" may be taken to say.
extension FaultRun {
  /// The rows that an answer of "not modified" will be taken for; `nil` for any other answer.
  func rowsToConfirm(
    by response: FetchResponse<Note>, _ target: FetchTarget
  ) -> [ConfirmedRow]? {
    guard response.isNotModified, case .query(let key) = target else { return nil }
    return confirmedRows(of: key)
  }

  /// What the store took for confirmed is what the server had answered at the place in question.
  mutating func checkConfirmed(_ key: QueryKey, _ rows: [ConfirmedRow], _ request: FetchRequest) {
    guard let place = request.unlessChangedSince, let read = served.rows(of: key, at: place) else {
      return
    }
    let meant = read.map { ConfirmedRow(key: $0.key, note: $0.payload.content) }
    guard rows != meant else { return }
    diverge(
      .confirmsWhatWasRead, about: Oracle.name(key),
      expected: "[\(meant.map(\.name).joined(separator: ", "))]",
      found: "[\(rows.map(\.name).joined(separator: ", "))]")
  }
}
