/// What a column of a text file says.
package enum ColumnRole: String, Hashable, Sendable, CaseIterable {
  case key, operation, size, ttl, time
  /// How many equal lines the row stands for.
  case count
  /// The length of the key, which adds to the size.
  case keySize = "key-size"

  /// Its place among all, so that finding a column is one load.
  fileprivate var ordinal: Int {
    switch self {
    case .key: 0
    case .operation: 1
    case .size: 2
    case .ttl: 3
    case .time: 4
    case .count: 5
    case .keySize: 6
    }
  }
}

/// Which columns a kind of CSV file has.
struct ColumnProfile: Sendable {
  var format: String
  /// The usual names of a column, in lower case; a role without names is never looked for.
  var names: [ColumnRole: [String]]
  /// The columns of a file without header, in order.
  var fixed: [ColumnRole?]?

  static let csv = ColumnProfile(
    format: "csv",
    names: [
      .key: ["key", "id", "object"], .operation: ["op", "operation"],
      .size: ["size", "bytes", "weight"], .ttl: ["ttl", "lifetime"],
      .time: ["time", "timestamp"],
    ])
}

/// Where a file has its columns.
struct ColumnPlaces: Sendable {
  /// How many columns there are.
  var count: Int
  private var places = [Int?](repeating: nil, count: ColumnRole.allCases.count)
  private var titles: [ColumnRole: String] = [:]

  /// A file without header.
  init(fixed: [ColumnRole?]) {
    count = fixed.count
    for (place, role) in fixed.enumerated() {
      guard let role else { continue }
      places[role.ordinal] = place
      titles[role] = role.rawValue
    }
  }

  /// Looks up the names of a header, by the names that the user gave and else the usual ones.
  init(
    header: [String], profile: ColumnProfile, given: [ColumnRole: String]
  ) throws(RecordFault) {
    count = header.count
    for role in ColumnRole.allCases {
      let names = given[role].map { [$0.lowercased()] } ?? profile.names[role] ?? []
      let found = header.indices.filter { names.contains(header[$0]) }
      guard found.count <= 1 else { throw .severalColumns(found.map { header[$0] }) }
      if let place = found.first {
        places[role.ordinal] = place
        titles[role] = header[place]
      } else if role == .key || given[role] != nil {
        throw .noColumn(named: names)
      }
    }
  }

  subscript(role: ColumnRole) -> Int? { places[role.ordinal] }

  /// What the file calls the column.
  func title(_ role: ColumnRole) -> String { titles[role] ?? role.rawValue }

  mutating func drop(_ role: ColumnRole) { places[role.ordinal] = nil }
}
