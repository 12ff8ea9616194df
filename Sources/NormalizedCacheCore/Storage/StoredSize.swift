/// What rows take in a storage with tables, as far as it can be told beforehand.
@usableFromInline package enum StoredSize {
  /// What a row takes beside its bytes: its other columns, its cell, its share of half-empty pages.
  private static let row = 160
  /// What a query takes for each of its members.
  package static let member = 40

  @usableFromInline package static func ofEntity(payload: Int) -> Int { row + payload }

  /// A query's input stands in its row and in an index.
  @usableFromInline package static func ofQuery(input: Int, members: Int) -> Int {
    row + 2 * input + member * members
  }
}

/// When a storage that is held to a size drops something, and how much.
@usableFromInline package enum TrimMarks {
  /// More than this in use, and something is dropped.
  @usableFromInline package static func high(of maximumBytes: Int) -> Int { maximumBytes / 10 * 9 }
  /// Until so much is left.
  @usableFromInline package static func low(of maximumBytes: Int) -> Int { maximumBytes / 2 }
}
